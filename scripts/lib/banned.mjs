import { parseSync } from '@swc/core';

/** Places where each kind of ambient thing may be touched; everywhere else it is an argument. */
export const HOMES = {
  clock: ['packages/core/src/clock.ts'],
  randomness: ['packages/core/src/random.ts'],
  environment: ['apps/writ/src/env.ts'],
};

const MEMBERS = {
  'Date.now': 'clock',
  'performance.now': 'clock',
  'Math.random': 'randomness',
  'crypto.randomUUID': 'randomness',
  'crypto.getRandomValues': 'randomness',
  'process.env': 'environment',
};
const CALLS = { setTimeout: 'clock', setInterval: 'clock', setImmediate: 'clock', Date: 'clock' };
const IMPORTS = {
  timers: { '*': 'clock' },
  'timers/promises': { '*': 'clock' },
  crypto: {
    randomBytes: 'randomness',
    randomInt: 'randomness',
    randomUUID: 'randomness',
    randomFillSync: 'randomness',
  },
  process: { env: 'environment' },
  uuidv7: { '*': 'randomness' },
};

/** What may not stand in a comment: checks turned off, work left for later. */
const COMMENTS =
  /(?:\/\/|\/\*|^\s*\*).*?(\bTODO\b|\bFIXME\b|\bXXX\b|biome-ignore|@ts-ignore|@ts-expect-error|eslint-disable)/;

function memberName(node) {
  if (node.type !== 'MemberExpression' || node.object.type !== 'Identifier') return undefined;
  if (node.property.type === 'Identifier') return `${node.object.value}.${node.property.value}`;
  const key = node.property.type === 'Computed' ? node.property.expression : undefined;
  return key?.type === 'StringLiteral' ? `${node.object.value}.${key.value}` : undefined;
}

function* bansOfImport(node) {
  if (node.typeOnly) return;
  const names = IMPORTS[node.source.value.replace(/^node:/, '')];
  if (names === undefined) return;
  if (names['*'] !== undefined) yield { what: `import of ${node.source.value}`, kind: names['*'] };
  for (const specifier of node.specifiers) {
    const imported = specifier.imported?.value ?? specifier.local.value;
    if (names[imported] !== undefined) yield { what: `import of ${imported}`, kind: names[imported] };
  }
}

function* bansOfNode(node) {
  const member = memberName(node);
  if (member !== undefined && Object.hasOwn(MEMBERS, member)) yield { what: member, kind: MEMBERS[member] };
  if (node.type === 'CallExpression' && node.callee.type === 'Identifier' && Object.hasOwn(CALLS, node.callee.value)) {
    yield { what: `${node.callee.value}()`, kind: CALLS[node.callee.value] };
  }
  if (node.type === 'NewExpression' && node.callee.value === 'Date' && (node.arguments ?? []).length === 0) {
    yield { what: 'new Date()', kind: 'clock' };
  }
  if (node.type === 'ImportDeclaration') yield* bansOfImport(node);
}

function* walk(value) {
  if (Array.isArray(value)) for (const item of value) yield* walk(item);
  else if (value !== null && typeof value === 'object') {
    if (typeof value.type === 'string') yield value;
    for (const child of Object.values(value)) yield* walk(child);
  }
}

/**
 * Banned things in one source file, as `{ line, what, kind }`; `path` decides what it may touch.
 * Test code may touch everything but not leave checks turned off.
 */
export function bannedIn(path, text, { ambient }) {
  const found = [];
  const lines = text.split('\n');
  for (const [index, line] of lines.entries()) {
    const match = COMMENTS.exec(line);
    if (match !== null) found.push({ line: index + 1, what: match[1], kind: 'exemption' });
  }
  if (!ambient) return found;
  // swc's offsets are bytes that go on counting from parse to parse; the semicolon marks where this text begins.
  const program = parseSync(`;${text}`, { syntax: 'typescript', target: 'es2022' });
  const bytes = Buffer.from(text, 'utf8');
  for (const node of walk(program.body)) {
    for (const ban of bansOfNode(node)) {
      if (HOMES[ban.kind]?.includes(path)) continue;
      const offset = node.span.start - program.span.start - 1;
      found.push({ line: bytes.subarray(0, offset).toString('utf8').split('\n').length, ...ban });
    }
  }
  return found;
}
