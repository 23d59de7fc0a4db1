/**
 * Who may import whom. `npm run boundaries` applies it to the tree and to a canary that must fail;
 * docs/adr/0001 says why swc parses the TypeScript.
 */

import { readdirSync, readFileSync } from 'node:fs';

/** For each package, the packages it may import. Everything else is an arrow upwards. */
export const ALLOWED = {
  core: [],
  policy: ['core'],
  database: ['core'],
  'lease-store': ['core', 'database'],
  'task-store': ['core', 'database'],
  identity: ['core'],
  evidence: ['core', 'database', 'identity'],
  audit: ['core', 'database', 'identity'],
  runner: ['core'],
  authority: ['core', 'policy', 'database', 'lease-store'],
  delegation: ['core', 'database', 'policy', 'authority', 'task-store', 'identity', 'evidence'],
  commands: ['core', 'database', 'lease-store', 'policy', 'identity', 'authority', 'delegation'],
  pairing: ['core', 'database', 'lease-store', 'identity', 'policy', 'authority'],
  wire: ['core'],
  mesh: ['core', 'wire', 'identity', 'policy', 'authority', 'delegation', 'commands', 'pairing'],
  gateway: ['core', 'wire', 'policy', 'authority', 'delegation', 'commands', 'pairing'],
};

/** The files that the packages' `exports` name, as patterns: the only ways in from outside. */
const entries = readdirSync(new URL('./packages/', import.meta.url)).flatMap((name) => {
  const { exports } = JSON.parse(readFileSync(new URL(`./packages/${name}/package.json`, import.meta.url), 'utf8'));
  return Object.values(exports).map((file) => `^packages/${name}/${file.replace('./', '').replaceAll('.', '[.]')}$`);
});

const TEST_FILE = '^test/|([.](test|contract)[.]ts|/src/testing/.*)$';

/** One rule for each package: nothing outside its row. Tests may use the testkit and test/support besides. */
const arrows = Object.entries(ALLOWED).map(([name, allowed]) => ({
  name: `arrow-${name}`,
  severity: 'error',
  comment: `${name} may import ${allowed.join(', ') || 'no other package'}`,
  from: { path: `^packages/${name}/` },
  to: {
    path: '^(packages|apps|test)/',
    pathNot: `^(packages/(${[name, ...allowed, 'testkit'].join('|')})|test/support)/`,
  },
}));

/** A third-party module that only some places may load. */
const confined = (name, modules, places) => ({
  name: `only-${name}`,
  severity: 'error',
  comment: `${modules.join(', ')} belong to ${places.join(', ')}`,
  from: { path: '^(packages|apps)/', pathNot: [`^(${places.join('|')})/`, TEST_FILE] },
  to: { path: `node_modules/(${modules.join('|')})/` },
});

export default {
  forbidden: [
    ...arrows,
    {
      name: 'unknown-package',
      severity: 'error',
      comment: 'a package without a row in the table above',
      from: { path: '^packages/', pathNot: `^packages/(${[...Object.keys(ALLOWED), 'testkit'].join('|')})/` },
      to: {},
    },
    {
      name: 'circle',
      severity: 'error',
      comment: 'a circle of imports; types count',
      from: {},
      to: { circular: true },
    },
    {
      name: 'through-the-exports',
      severity: 'error',
      comment: 'another package is entered through its `exports` only',
      from: { path: '^(packages/[^/]+|apps/[^/]+|test)/' },
      to: {
        path: '^packages/[^/]+/',
        pathNot: ['^$1/', ...entries],
      },
    },
    {
      name: 'testkit-in-tests-only',
      severity: 'error',
      comment: 'the testkit is for tests',
      from: { path: '^(packages|apps)/', pathNot: ['^packages/testkit/', TEST_FILE] },
      to: { path: '^packages/testkit/' },
    },
    {
      name: 'test-files-are-leaves',
      severity: 'error',
      comment: 'no program code imports a test or what helps tests',
      from: { path: '^(packages|apps)/', pathNot: ['^packages/testkit/', TEST_FILE] },
      to: { path: TEST_FILE },
    },
    {
      name: 'pure-policy',
      severity: 'error',
      comment: 'policy decides from its arguments: no files, processes or sockets',
      from: { path: '^packages/policy/', pathNot: TEST_FILE },
      to: { path: '^(node:)?(fs|fs/promises|child_process|net|tls|http|https|http2|dgram|worker_threads)$' },
    },
    confined(
      'grpc',
      ['@grpc/grpc-js', '@grpc/proto-loader', 'grpc-health-check'],
      ['packages/wire', 'packages/mesh', 'packages/testkit'],
    ),
    confined(
      'sqlite',
      ['better-sqlite3', 'kysely'],
      ['packages/database', 'packages/lease-store', 'packages/task-store', 'packages/testkit'],
    ),
    confined('mcp', ['@modelcontextprotocol'], ['packages/gateway', 'packages/testkit', 'apps/writ']),
    {
      name: 'unresolvable',
      severity: 'error',
      comment: 'an import that leads nowhere would hide an arrow',
      from: {},
      to: { couldNotResolve: true },
    },
  ],
  options: {
    parser: 'swc',
    tsPreCompilationDeps: true,
    combinedDependencies: true,
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '(^|/)(dist|coverage)/' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'default', 'types'],
      mainFields: ['module', 'main', 'types'],
      extensions: ['.ts', '.mts', '.js', '.mjs', '.json', '.d.ts'],
    },
  },
};
