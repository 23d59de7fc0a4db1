import { posix } from 'node:path';
import type { Json } from '@writ/core';
import { describe, expect, it } from 'vitest';
import { permitToolCall } from './permit.ts';
import type { ClassifyTool, ToolCall, ToolFacts, ToolKind, ToolRights } from './types.ts';

const DIR = '/w/t1/app';

function rights(closure: string, more: Partial<ToolRights> = {}): ToolRights {
  const held = closure === '' ? [] : closure.split(' ');
  return {
    closure: held,
    network: 'deny',
    commands: [['npm', 'test', '**']],
    readPaths: ['/srv/docs'],
    directory: DIR,
    ...more,
  };
}

/** A few commands, as the rule packs have them. */
const classify: ClassifyTool = (argv, cwd) => {
  const [program = '', ...args] = argv;
  switch (program) {
    case 'cat':
      return {
        ...{ class: 'read', needs: ['read_files'] },
        alone: { paths: args.map((path) => (path.startsWith('/') ? path : `${cwd}/${path}`)), repository: false },
      };
    case 'git':
      return { class: 'read', needs: ['read_repo'], alone: { paths: [], repository: true } };
    case 'df':
      return { class: 'read', needs: ['inspect_disk'], alone: { paths: [], repository: false } };
    case 'journalctl':
      return { class: 'read', needs: ['inspect_logs'] };
    case 'systemctl':
      return { class: 'config-mutation', needs: ['manage_services'] };
    case 'rm':
      return { class: 'destructive', needs: ['edit_system'] };
    case 'echo':
      return { class: 'read', needs: [], alone: { paths: [], repository: false } };
    default:
      return { class: 'destructive', needs: [] };
  }
};

/** Where links lead: nowhere else than the letters, but for those below `links`, as in a clone that brings some. */
const LINKS: Readonly<Record<string, string | undefined>> = {
  [`${DIR}/out`]: '/etc',
  [`${DIR}/in`]: `${DIR}/src`,
  [`${DIR}/dangling`]: undefined,
};
const leadsTo = (path: string): string | undefined => {
  const link = Object.keys(LINKS).find((one) => path === one || path.startsWith(`${one}/`));
  if (link === undefined) return posix.resolve(path);
  const target = LINKS[link];
  return target && posix.resolve(target + path.slice(link.length));
};
const FACTS: ToolFacts = { classify, leadsTo };

const verdictOf = (held: ToolRights, kind: ToolKind, input: Json): string =>
  permitToolCall(held, { kind, paths: [], input }, FACTS).verdict;

type Row = readonly [closure: string, kind: ToolKind, input: Json, verdict: 'allow' | 'deny' | 'ask'];

const FILES: readonly Row[] = [
  ['', 'read', { path: 'a.ts' }, 'deny'],
  ['inspect_disk run_tests', 'search', {}, 'deny'],
  ['read_repo', 'read', { path: 'src/a.ts' }, 'allow'],
  ['edit_repo', 'read', { file_path: `${DIR}/src/a.ts` }, 'allow'],
  ['read_repo', 'search', { pattern: 'x' }, 'allow'],
  ['read_repo', 'search', null, 'allow'],
  ['read_files', 'search', null, 'ask'],
  ['read_repo', 'read', { path: 'in/a.ts' }, 'allow'],
  ['read_repo', 'read', { path: 'out/passwd' }, 'deny'],
  ['read_repo', 'read', { path: 'dangling' }, 'deny'],
  ['edit_repo', 'edit', { path: 'in/a.ts' }, 'allow'],
  ['edit_repo', 'edit', { path: 'out/passwd' }, 'deny'],
  ['edit_repo', 'edit', { file_path: `${DIR}/out/passwd` }, 'deny'],
  ['edit_repo', 'edit', { path: 'out/../passwd' }, 'deny'],
  ['edit_repo', 'edit', { path: 'dangling' }, 'deny'],
  ['edit_repo', 'edit', { path: 'in/../../a.ts' }, 'deny'],
  ['read_repo', 'execute', { command: ['cat', 'out/passwd'] }, 'deny'],
  ['run_tests', 'execute', { command: ['npm', 'test'], cwd: 'out' }, 'deny'],
  ['read_repo', 'read', { path: '../other/a.ts' }, 'deny'],
  ['read_repo', 'read', { path: `${DIR}-other/a.ts` }, 'deny'],
  ['read_repo', 'read', { path: '/etc/passwd' }, 'deny'],
  ['read_repo', 'read', { path: '~/.ssh/id' }, 'deny'],
  ['read_repo', 'read', { path: 'file:///etc/passwd' }, 'deny'],
  ['read_repo', 'read', { path: 'a\0b' }, 'deny'],
  ['read_repo', 'read', { paths: ['a.ts', '/etc/passwd'] }, 'deny'],
  ['read_repo', 'read', { path: 'a.ts', locations: [{ path: '/etc/passwd' }] }, 'deny'],
  ['read_repo', 'read', { path: 7 }, 'ask'],
  ['read_repo', 'read', { path: '/srv/docs/a' }, 'deny'],
  ['read_files', 'read', { path: '/srv/docs/a' }, 'allow'],
  ['read_files', 'read', { path: '/srv/docs/../secret' }, 'deny'],
  ['read_files', 'read', { path: 'a.ts' }, 'deny'],
  ['read_repo', 'edit', { path: 'a.ts' }, 'deny'],
  ['edit_repo', 'edit', { path: 'a.ts' }, 'allow'],
  ['edit_repo', 'delete', { path: DIR }, 'allow'],
  ['edit_repo', 'move', { source: 'a.ts', destination: 'b.ts' }, 'allow'],
  ['edit_repo', 'move', { source: 'a.ts', destination: '/tmp/b.ts' }, 'deny'],
  ['edit_repo', 'edit', { path: '/srv/docs/a' }, 'deny'],
  ['edit_repo', 'edit', {}, 'ask'],
  ['edit_repo', 'delete', null, 'ask'],
];

const COMMANDS: readonly Row[] = [
  ['shell', 'execute', { command: 'rm -rf / ; anything' }, 'allow'],
  ['shell', 'execute', null, 'allow'],
  ['', 'execute', null, 'deny'],
  ['use_network', 'execute', { nothing: 1 }, 'deny'],
  ['run_tests', 'execute', null, 'ask'],
  ['run_tests', 'execute', { command: 'npm test' }, 'allow'],
  ['run_tests', 'execute', { command: ['npm', 'test', '--', 'a b'] }, 'allow'],
  ['run_tests', 'execute', { command: 'npm', args: ['test'] }, 'allow'],
  ['run_tests', 'execute', { command: ['bash', '-lc', 'npm test'] }, 'allow'],
  ['run_tests', 'execute', { command: 'npm test; rm -rf /' }, 'deny'],
  ['run_tests', 'execute', { command: 'npm test $(rm x)' }, 'deny'],
  ['run_tests', 'execute', { command: ['bash', '-lc', 'npm test', 'more'] }, 'deny'],
  ['run_tests', 'execute', { command: ['npm', 'test'], args: ['x'] }, 'ask'],
  ['run_tests', 'execute', { command: 'npm test', cmd: 'rm x' }, 'ask'],
  ['run_tests', 'execute', { command: 'npm test', cwd: 'sub' }, 'allow'],
  ['run_tests', 'execute', { command: 'npm test', cwd: '/srv' }, 'deny'],
  ['run_tests', 'execute', { command: 'npm publish' }, 'deny'],
  ['read_repo', 'execute', { command: 'npm test' }, 'deny'],
  ['read_repo', 'execute', { command: 'cat a.ts' }, 'allow'],
  ['read_repo', 'execute', { command: 'cat /etc/passwd' }, 'deny'],
  ['read_files', 'execute', { command: 'cat /srv/docs/a' }, 'allow'],
  ['read_files', 'execute', { command: 'cat /etc/passwd' }, 'deny'],
  ['read_repo', 'execute', { command: 'git status' }, 'ask'],
  ['inspect_disk', 'execute', { command: 'df' }, 'allow'],
  ['inspect_logs', 'execute', { command: 'df' }, 'deny'],
  ['inspect_logs', 'execute', { command: 'journalctl' }, 'ask'],
  ['manage_services', 'execute', { command: 'systemctl restart nginx' }, 'ask'],
  ['run_tests', 'execute', { command: 'systemctl restart nginx' }, 'deny'],
  ['edit_system', 'execute', { command: 'rm x' }, 'deny'],
  ['edit_system destructive', 'execute', { command: 'rm x' }, 'ask'],
  ['destructive', 'execute', { command: 'unknown' }, 'ask'],
  ['read_repo', 'execute', { command: 'echo a' }, 'deny'],
];

describe('what a grant says to files', () => {
  it.each(FILES)('%j: %s %j is %s', (closure, kind, input, verdict) => {
    expect(verdictOf(rights(closure), kind, input)).toBe(verdict);
  });

  it('is nothing of a workspace where there is none', () => {
    const { directory: _, ...without } = rights('read_repo edit_repo read_files');
    expect(verdictOf(without, 'read', { path: 'a.ts' })).toBe('deny');
    expect(verdictOf(without, 'edit', { path: '/a.ts' })).toBe('deny');
    expect(verdictOf(without, 'search', {})).toBe('ask');
    expect(verdictOf(without, 'read', { path: '/srv/docs/a' })).toBe('allow');
  });
});

it.each([
  ['edit_repo', 'edit', ['a.ts'], null, 'allow'],
  ['edit_repo', 'edit', [`${DIR}/a.ts`, '/etc/hosts'], null, 'deny'],
  ['edit_repo', 'edit', ['/etc/hosts'], { path: 'a.ts' }, 'deny'],
  ['edit_repo', 'edit', ['a.ts'], { path: '/etc/hosts' }, 'deny'],
  ['edit_repo', 'edit', ['a.ts'], { path: 7 }, 'ask'],
  ['edit_repo', 'delete', [''], null, 'ask'],
  ['read_repo', 'edit', ['a.ts'], null, 'deny'],
  ['read_repo', 'search', ['/etc'], null, 'deny'],
  ['read_files', 'read', ['/srv/docs/a'], null, 'allow'],
] as const)(
  'files beside the input count like those in it: %j %s %j %j is %s',
  (closure, kind, paths, input, verdict) => {
    expect(permitToolCall(rights(closure), { kind, paths, input }, FACTS).verdict).toBe(verdict);
  },
);

it.each(['read', 'search', 'edit'] as const)(
  'a call of kind %s that is not told whole is for a person to see',
  (kind) => {
    const call = { kind, paths: [`${DIR}/a.ts`], input: null };
    expect(permitToolCall(rights('edit_repo'), call, FACTS).verdict).toBe('allow');
    expect(permitToolCall(rights('edit_repo'), { ...call, untold: true }, FACTS).verdict).toBe('ask');
  },
);

describe('a call about more files than are looked at', () => {
  const many = (count: number): string[] => Array.from({ length: count }, (_, at) => `${at}.ts`);
  const noting = (looked: string[]): ToolFacts => ({
    classify,
    leadsTo(path) {
      looked.push(path);
      return path;
    },
  });
  const all = rights('read_repo edit_repo shell read_files use_network', { network: 'allow' });
  const message = 'it is about 65 files, and at most 64 are looked at in one call: ask for fewer at once';

  it.each(['read', 'search', 'edit', 'delete', 'move', 'execute', 'fetch', 'other'] as const)(
    'is refused, and none of them is looked at: %s',
    (kind) => {
      const looked: string[] = [];
      const calls: readonly ToolCall[] = [
        { kind, paths: many(65), input: null },
        { kind, paths: many(63), input: { from: 'a', locations: [{ path: 'b' }] } },
        { kind, paths: ['', ...many(64)], input: null },
        { kind, paths: [], input: { files: many(65) } },
      ];
      for (const call of calls) {
        const verdict = permitToolCall(all, call, noting(looked));
        expect(verdict).toEqual({ verdict: 'deny', code: 'COMMAND_NOT_ALLOWED', message });
      }
      expect(looked).toEqual([]);
    },
  );

  it('is as many as that at most, each found out once', () => {
    const looked: string[] = [];
    const held = { ...rights('read_files read_repo'), readPaths: ['/srv/docs', '/srv/more'] };
    const paths = many(63).map((name) => `/srv/more/${name}`);
    expect(permitToolCall(held, { kind: 'read', paths, input: { path: paths[0] ?? '' } }, noting(looked)).verdict).toBe(
      'allow',
    );
    expect(looked.length).toBe(new Set(looked).size);
  });

  it('may be a command', () => {
    const reads = (count: number): ToolFacts => ({
      leadsTo,
      classify: () => ({ class: 'read', needs: ['read_files'], alone: { paths: many(count), repository: false } }),
    });
    const call = { kind: 'execute', paths: [], input: { command: 'cat' } } as const;
    expect(permitToolCall(rights('read_repo'), call, reads(65))).toMatchObject({ verdict: 'deny', message });
    expect(permitToolCall(rights('read_repo'), call, reads(64)).verdict).toBe('allow');
  });
});

describe('what a grant says to commands', () => {
  it.each(COMMANDS)('%j: %s %j is %s', (closure, kind, input, verdict) => {
    expect(verdictOf(rights(closure), kind, input)).toBe(verdict);
  });
});

describe('what a grant says to the network', () => {
  const some = ['packages.example:443', 'plain.example:8080'];
  it.each([
    ['use_network', 'deny', { url: 'https://packages.example/' }, 'deny'],
    ['', 'allow', { url: 'https://packages.example/' }, 'deny'],
    ['use_network', 'allow', { url: 'https://any.example/x' }, 'allow'],
    ['use_network', 'allow', {}, 'ask'],
    ['use_network', 'allow', { url: 'no address' }, 'ask'],
    ['use_network', 'allow', { url: 'file:///etc/passwd' }, 'deny'],
    ['use_network', 'allow', { url: 'http://127.0.0.1:7421/' }, 'deny'],
    ['use_network', 'allow', { url: 'http://2130706433/' }, 'deny'],
    ['use_network', 'allow', { url: 'http://localhost/' }, 'deny'],
    ['use_network', 'allow', { url: 'http://[::1]/' }, 'deny'],
    ['use_network', 'allow', { url: 'http://169.254.169.254/' }, 'deny'],
    ['use_network', some, { url: 'https://packages.example/a' }, 'allow'],
    ['use_network', some, { url: 'https://PACKAGES.example:443/a' }, 'allow'],
    ['use_network', some, { url: 'http://packages.example/a' }, 'deny'],
    ['use_network', some, { url: 'http://plain.example:8080' }, 'allow'],
    ['use_network', some, { urls: ['https://packages.example/', 'https://other.example/'] }, 'deny'],
    ['use_network', some, { url: 'https://packages.example@other.example/' }, 'deny'],
  ] as const)('%j, network %j: %j is %s', (closure, network, input, verdict) => {
    expect(verdictOf(rights(closure, { network }), 'fetch', input as Json)).toBe(verdict);
  });
});

describe('what no right is about', () => {
  it('is for a person to see, whatever is held', () => {
    for (const closure of ['', 'shell edit_repo']) expect(verdictOf(rights(closure), 'other', { x: 1 })).toBe('ask');
  });

  it('says why it is not allowed', () => {
    expect(permitToolCall(rights(''), { kind: 'edit', paths: [], input: {} }, FACTS)).toEqual({
      ...{ verdict: 'deny', code: 'COMMAND_NOT_ALLOWED' },
      message: 'it needs edit_repo, which the grant of this task does not hold',
    });
    expect(permitToolCall(rights('edit_repo'), { kind: 'edit', paths: [], input: {} }, FACTS)).toMatchObject({
      ...{ verdict: 'ask', code: 'APPROVAL_REQUIRED', message: 'which files it would change cannot be told' },
    });
  });
});

describe('why a call is not allowed', () => {
  const lacks = (what: string) => `deny: it needs ${what}, which the grant of this task does not hold`;
  it.each<[string, ToolKind, Json, string]>([
    ['', 'read', {}, lacks('read_repo or read_files')],
    ['read_repo', 'read', { path: 7 }, 'ask: which files it would read cannot be told'],
    ['read_files', 'read', {}, 'ask: it names no file to read'],
    ['read_repo', 'read', { path: '/etc/passwd' }, 'deny: it would read a file outside what was granted'],
    ['edit_repo', 'edit', { path: '/etc/passwd' }, 'deny: it would change a file outside the workspace'],
    ['edit_repo', 'edit', { path: ['a', 7] }, 'ask: which files it would change cannot be told'],
    ['read_repo', 'edit', {}, lacks('edit_repo')],
    ['run_tests', 'execute', {}, 'ask: which command it would run cannot be told'],
    ['use_secrets', 'execute', {}, lacks('shell')],
    ['use_network use_secrets', 'execute', {}, lacks('shell')],
    ['run_tests', 'execute', { command: 'npm test', cwd: '..' }, 'deny: it would run outside the workspace'],
    ['', 'execute', { command: 'rm x' }, lacks('edit_system and destructive and shell')],
    ['destructive edit_system', 'execute', { command: 'rm x' }, 'ask: it is a command of class destructive'],
    ['read_repo', 'execute', { command: 'git status' }, 'ask: it is a command of class read'],
    ['read_repo', 'execute', { command: 'echo a' }, lacks('shell')],
    ['', 'fetch', { url: 'https://a.example/' }, lacks('use_network')],
    ['', 'other', {}, 'ask: no right says what a call of this kind may do'],
  ])('%j: %s %j', (closure, kind, input, expected) => {
    const verdict = permitToolCall(rights(closure), { kind, paths: [], input }, FACTS);
    if (verdict.verdict === 'allow') throw new Error('allowed');
    expect(`${verdict.verdict}: ${verdict.message}`).toBe(expected);
    expect(verdict.code).toBe(verdict.verdict === 'deny' ? 'COMMAND_NOT_ALLOWED' : 'APPROVAL_REQUIRED');
  });

  it.each<[Json, string]>([
    [{}, 'ask: what it would fetch cannot be told'],
    [{ url: 'ftp://a.example/' }, 'deny: it would fetch something that is not of the network'],
    [{ url: 'https://sub.localhost/' }, 'deny: it would reach this machine itself, or its link'],
    [{ url: 'https://a.example/' }, 'deny: it would reach a host that was not granted'],
  ])('in the network: %j', (input, expected) => {
    const verdict = permitToolCall(
      rights('use_network', { network: ['b.example:443'] }),
      { kind: 'fetch', paths: [], input },
      FACTS,
    );
    if (verdict.verdict === 'allow') throw new Error('allowed');
    expect(`${verdict.verdict}: ${verdict.message}`).toBe(expected);
  });
});

describe('hosts that no grant of a network reaches', () => {
  it.each([
    ...['http://localhost:1/', 'http://a.b.localhost/', 'http://127.9.9.9/', 'http://0.0.0.0/', 'http://169.254.1.1/'],
    ...['http://[::]/', 'http://[::1]/', 'http://[::ffff:8.8.8.8]/', 'http://[fe80::1]/', 'http://[fe90::1]/'],
    ...['http://[fea0::1]/', 'http://[febf::1]/', 'http://LOCALHOST/'],
  ])('%s', (url) => {
    expect(verdictOf(rights('use_network', { network: 'allow' }), 'fetch', { url })).toBe('deny');
  });

  it.each([
    ...[
      'http://localhost.example/',
      'http://notlocalhost/',
      'http://12.7.0.1/',
      'http://1.127.0.1/',
      'http://169.25.1.1/',
    ],
    ...['http://10.0.0.0/', 'http://[2001:db8::1]/', 'http://[fec0::1]/', 'http://[::2]/', 'http://x127.example/'],
  ])('are others than %s', (url) => {
    expect(verdictOf(rights('use_network', { network: 'allow' }), 'fetch', { url })).toBe('allow');
  });

  it('and a default port is that of its scheme, named or not, in any case', () => {
    const held = rights('use_network', { network: ['A.example:443', 'b.example:80'] });
    const verdicts = ['https://a.example/', 'https://A.EXAMPLE:443/', 'http://b.example/', 'http://b.example:80/'];
    expect(verdicts.map((url) => verdictOf(held, 'fetch', { url }))).toEqual(verdicts.map(() => 'allow'));
    for (const url of ['http://a.example/', 'https://b.example/', 'https://a.example:444/']) {
      expect(verdictOf(held, 'fetch', { url })).toBe('deny');
    }
  });
});

describe('where a path leads', () => {
  it.each<[string, 'allow' | 'deny']>([
    ['.', 'allow'],
    [DIR, 'allow'],
    [`${DIR}/`, 'allow'],
    ['a/../b', 'allow'],
    ['..', 'deny'],
    ['a/../../b', 'deny'],
    [`${DIR}/../app/a`, 'allow'],
    ['a~', 'allow'],
    ['~user/a', 'deny'],
    ['a://b', 'deny'],
    ['FILE:///a', 'deny'],
    ['1:/a', 'allow'],
    [':a', 'allow'],
  ])('%j is %s', (path, verdict) => {
    expect(verdictOf(rights('edit_repo'), 'edit', { path })).toBe(verdict);
  });

  it('is anywhere where the whole machine was granted to read', () => {
    const held = rights('read_files', { readPaths: ['/'] });
    expect(verdictOf(held, 'read', { path: '/etc/passwd' })).toBe('allow');
    expect(verdictOf(rights('read_files', { readPaths: ['/srv/docs/'] }), 'read', { path: '/srv/docs' })).toBe('allow');
    expect(verdictOf(rights('read_files'), 'read', { path: '/srv/docs2' })).toBe('deny');
  });

  it('is the folder that the command names, from where its task works', () => {
    const held = rights('read_repo');
    expect(verdictOf(held, 'execute', { command: 'cat a', cwd: 'sub' })).toBe('allow');
    expect(verdictOf(held, 'execute', { command: 'cat a', cwd: '/srv' })).toBe('deny');
    const { directory: _, ...nowhere } = rights('read_files', { readPaths: ['/srv'] });
    expect(verdictOf(nowhere, 'execute', { command: 'cat /srv/a' })).toBe('allow');
    expect(verdictOf(nowhere, 'execute', { command: 'cat srv/a' })).toBe('allow');
  });
});

describe('each of several', () => {
  const fetching = (...urls: string[]) => verdictOf(rights('use_network', { network: 'allow' }), 'fetch', { urls });

  it('address counts: one that is not of the network, or of this machine, is enough', () => {
    expect(fetching('https://a.example/', 'https://b.example/')).toBe('allow');
    expect(fetching('https://a.example/', 'ftp://b.example/')).toBe('deny');
    expect(fetching('https://a.example/', 'http://localhost/')).toBe('deny');
  });

  it('listed command and each folder to read is enough', () => {
    const commands = [
      ['make', 'check'],
      ['npm', 'test', '**'],
    ];
    expect(verdictOf(rights('run_tests', { commands }), 'execute', { command: 'npm test' })).toBe('allow');
    const readPaths = ['/srv/docs', '/srv/more'];
    expect(verdictOf(rights('read_files', { readPaths }), 'read', { path: '/srv/more/a' })).toBe('allow');
  });

  it('need of a command that changes something is its own, whatever may be read', () => {
    const changes: ClassifyTool = () => ({
      ...{ class: 'config-mutation', needs: ['read_files'], alone: { paths: [], repository: false } },
    });
    const call = { kind: 'execute', paths: [], input: { command: 'touch a' } } as const;
    expect(permitToolCall(rights('read_repo'), call, { ...FACTS, classify: changes }).verdict).toBe('deny');
    expect(permitToolCall(rights('read_files'), call, { ...FACTS, classify: changes }).verdict).toBe('ask');
  });

  it('is told with the reason where nobody can tell what the command does', () => {
    const undecided: ClassifyTool = () => ({ class: 'destructive', needs: ['shell'], undecided: 'the node ends' });
    const call = { kind: 'execute', paths: [], input: { command: 'ls' } } as const;
    expect(permitToolCall(rights('read_repo'), call, { ...FACTS, classify: undecided })).toMatchObject({
      ...{ verdict: 'deny', message: expect.stringMatching(/it needs shell.*: the node ends$/) },
    });
  });
});
