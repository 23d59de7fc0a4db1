import { posix } from 'node:path';
import { createFairTurns, sha256Hex } from '@writ/core';
import { createCommandClassifier } from '@writ/policy';
import { describe, expect, it } from 'vitest';
import type { DeskParts } from './parts.ts';
import { resolveStep } from './resolving.ts';
import { installedGrammar } from './testing/installed-grammar.ts';
import type { CommandFiles } from './types.ts';

const CWD = '/w';
const PROGRAMS =
  'bash sh node python3 perl ruby php make just env find sudo timeout xargs setarch git ls cat sleep cargo tar awk gawk sed psql mysql sqlite3 docker podman curl';
/** Files of the folder, what a program would find by searching, and files that only look like it. */
const FILES = [
  ...[
    's.sh',
    'sub/s.sh',
    'deploy.js',
    'tool/index.js',
    'hook.js',
    'hook',
    'hook.rb',
    'app.js',
    '.env',
    's.py',
    'mod.py',
  ],
  ...[
    'pkg/__main__.py',
    's.pl',
    'Foo.pm',
    's.rb',
    's.php',
    'Makefile',
    'sub/Makefile',
    'sub/deep/Makefile',
    'other.mk',
  ],
  ...['sub/justfile', 'rc', 's2', 'node_modules/hook/index.js'],
];

function createFiles(): { readonly files: CommandFiles; write(path: string, text: string): void } {
  const contents = new Map<string, string>();
  const hold = async (path: string) => {
    const text = contents.get(posix.normalize(path)) ?? '';
    const read = { sha256: sha256Hex(text), sizeBytes: text.length, heldPath: path, isCopy: false, leavesPlace: true };
    return { ...read, release: async () => undefined };
  };
  for (const name of PROGRAMS.split(' ')) contents.set(`/bin/${name}`, name);
  contents.set('/bin/s2', 'a script of PATH');
  for (const name of FILES) contents.set(`${CWD}/${name}`, 'one');
  return {
    write: (path, text) => void contents.set(posix.resolve(CWD, path), text),
    files: {
      async inspect(written) {
        const path = posix.normalize(written).replace(/(.)\/$/, '$1');
        const isFile = contents.has(path);
        if (!isFile && ![...contents.keys()].some((one) => one.startsWith(`${path}/`))) return undefined;
        const kind = isFile ? 'file' : 'directory';
        return { kind, realPath: path, device: '1', inode: path, born: '0', sizeBytes: 1, isExecutable: isFile };
      },
      hold,
      read: hold,
    },
  };
}

const classifier = createCommandClassifier({ grammar: await installedGrammar() });

/** What is asked about a command: its digest, and what it says that nobody binds, and that runs as a copy; or why it is refused. */
async function look(argv: readonly string[], files: CommandFiles) {
  const profile = { name: 'ops' };
  const options = {
    files,
    turns: createFairTurns({ atOnce: 1, each: 1 }),
    classify: (args: readonly string[], cwd: string) => ({
      classification: classifier.classify(args, { host: 'self', cwd }),
      decided: true,
    }),
    factsOf: ({ class: of, known }: { class: string; known: boolean }) => ({ class: of, known, needs: [] }),
    environmentOf: () => ({ values: { PATH: '/bin' }, secretNames: new Set(), sealKey: Buffer.alloc(32) }),
    engine: { snapshot: () => ({ config: { profiles: new Map([['ops', profile]]) } }) },
  } as unknown as DeskParts;
  const asker = { origin: 'wn-a', session: 's', agent: 'a', requestedBy: 'self' };
  const asking = { asker, shown: { label: 'x', words: 'a-b' }, basis: {} };
  const granted = {
    ...{ profile: 'ops', closure: ['edit_repo', 'manage_services', 'destructive'], runner: 'shell' },
    ...({ network: 'deny', isolation: 'none' } as const),
  };
  const resolving = await resolveStep(options, asking, granted, { argv, cwd: CWD });
  if (!resolving.resolved) return { refused: resolving.refusal.message };
  const { digest, lines = [] } = resolving.step;
  const textsOf = (of: string) => lines.filter(({ label }) => label === of).map(({ text }) => text);
  return { digest, notBound: textsOf('NOT BOUND'), copied: textsOf('RUNS AS A COPY') };
}

const script = (text: string): readonly string[] => ['bash', '-c', text];

describe('a file that a command runs', () => {
  it('is said to run as a copy where the command is given one: what lies beside it is not there', async () => {
    const { files } = createFiles();
    const copied = async (...argv: readonly string[]) => (await look(argv, files)).copied;
    expect(await copied('bash', './s.sh')).toEqual([
      expect.stringMatching(/^it runs from another place.*: \/w\/s\.sh$/),
    ]);
    expect(await copied('node', 'deploy')).toEqual([expect.stringMatching(/: \/w\/deploy\.js$/)]);
    expect(await copied('setarch', '-R', 'node', 'deploy')).toEqual([]);
    expect(await copied('bash', '-c', './s.sh')).toEqual([]);
  });

  it.each<[readonly string[], string]>([
    [['./s.sh'], 's.sh'],
    [['bash', 's.sh'], 's.sh'],
    [['bash', './s.sh'], 's.sh'],
    [['sh', '--', 's.sh'], 's.sh'],
    [['bash', '-', './s.sh'], 's.sh'],
    [['bash', '-', 's2'], 's2'],
    [script('./s.sh'), 's.sh'],
    [script('bash s.sh'), 's.sh'],
    [script('source ./s.sh'), 's.sh'],
    [script('. ./s.sh'), 's.sh'],
    [script('builtin source ./s.sh'), 's.sh'],
    [script('. /w/sub/s.sh'), 'sub/s.sh'],
    [script('bash < s.sh'), 's.sh'],
    [script('bash < /w/sub/s.sh'), 'sub/s.sh'],
    [script('cat s.sh | bash'), 's.sh'],
    [script('cd sub; bash /w/s.sh'), 's.sh'],
    [script('cd sub; bash < /w/s.sh'), 's.sh'],
    [['node', 'deploy'], 'deploy.js'],
    [['node', './tool'], 'tool/index.js'],
    [['node', '-r', './hook.js', 'app.js'], 'hook.js'],
    [['node', '--import', './hook.js', 'app.js'], 'hook.js'],
    [['node', '--import=./hook.js', 'app.js'], 'hook.js'],
    [['node', '--env-file=.env', 'app.js'], '.env'],
    [['node', '--stack-size=900', 'app.js'], 'app.js'],
    [['setarch', '-R', 'node', 'deploy'], 'deploy.js'],
    [['setarch', '-R', 'python3', 'pkg'], 'pkg/__main__.py'],
    [['setarch', '-R', 'make', '-C', 'sub'], 'sub/Makefile'],
    [['python3', 's.py'], 's.py'],
    [['python3', 'pkg'], 'pkg/__main__.py'],
    [['perl', '-w', 's.pl'], 's.pl'],
    [['perl', '-MPOSIX', '-MList::Util=sum', 's.pl'], 's.pl'],
    [['ruby', '-r./hook.rb', 's.rb'], 'hook.rb'],
    [['make'], 'Makefile'],
    [['make', '-C', 'sub'], 'sub/Makefile'],
    [['make', '-Csub', 'all'], 'sub/Makefile'],
    [['make', '--directory=sub'], 'sub/Makefile'],
    [['make', '--directory', 'sub'], 'sub/Makefile'],
    [['make', '-C', 'sub', '-C', 'deep'], 'sub/deep/Makefile'],
    [['make', '-f', 'other.mk'], 'other.mk'],
    [['just', '-d', 'sub'], 'sub/justfile'],
    [['env', 'A=1', 'node', 'deploy'], 'deploy.js'],
    [['timeout', '5', 'bash', 's.sh'], 's.sh'],
    [['sudo', '-n', 'bash', 's.sh'], 's.sh'],
    [['find', '.', '-exec', '/w/s.sh', '{}', '+'], 's.sh'],
    [['xargs', 'bash', './s.sh'], 's.sh'],
    [['curl', '-d@rc', 'http://x'], 'rc'],
    [['curl', '--data=@rc', 'http://x'], 'rc'],
    [['curl', '-F', 'a=@rc', 'http://x'], 'rc'],
    [['psql', '-fs2'], 's2'],
    [['awk', '-f', 's2'], 's2'],
    [['sed', '-f', 's2', 'rc'], 's2'],
  ])('%j is bound: %s', async (argv, file) => {
    const { files, write } = createFiles();
    const before = await look(argv, files);
    expect(before).toHaveProperty('digest');
    write(file, 'two');
    expect((await look(argv, files)).digest).not.toBe(before.digest);
  });

  it.each<[readonly string[]]>([
    [['perl', '-MFoo', '-e', '1']],
    [['perl', '-mFoo', '-e', '1']],
    [['perl', '-Mlib=.', '-MPOSIX', '-e', '1']],
    [['perl', '-MPOSIX;require"./Foo.pm"', '-e', '1']],
    [['perl', '-wMFoo', 's.pl']],
    [['perl', '-d:Foo', 's.pl']],
    [['node', '-r', 'hook', 'app.js']],
    [['node', '-rhook', 'app.js']],
    [['node', '--import=hook', 'app.js']],
    [['node', '--import', 'hook', 'app.js']],
    [['node', '--import=file:///w/hook.js', 'app.js']],
    [['node', '--loader', 'hook', 'app.js']],
    [['node', '--test-reporter=./hook.js', 'app.js']],
    [['ruby', '-rhook', 's.rb']],
    [['ruby', '-r./hook', 's.rb']],
    [['php', '-dauto_prepend_file=s.php', 's.php']],
    [['python3', '-m', 'mod']],
    [['bash', '--rcfile', 'rc', '-i']],
    [['bash', '-', '-']],
    [['env', '-S', 'bash s.sh']],
    [['env', '-C', 'sub', 'node', 'deploy']],
    [['env', '-C', 'sub', 'make']],
    [script('. s2')],
    [script('source s2')],
    [script('cd sub; ./s.sh')],
    [script('cd sub; . ./s.sh')],
    [script('cd sub; source s.sh')],
    [script('cd sub && make')],
    [script('cd sub; bash < s.sh')],
  ])('%j is refused: nobody can say which it is', async (argv) => {
    const { files } = createFiles();
    expect((await look(argv, files)).refused).toMatch(/cannot be told|would look for it/);
  });

  it.each<[readonly string[], string]>([
    [script('X=s; ./$X.sh'), 'a variable'],
    [script('eval "./s.sh"'), 'eval'],
    [['bash', 's.sh'], '`bash`'],
    [['node', '-e', 'require("./hook.js")'], '`node` runs may load other files'],
    [['python3', '-c', 'import mod'], '`python3` runs may load'],
    [['setarch', '-R', 'ls'], '`setarch`: no rule knows this program'],
    [['env', 'LD_PRELOAD=./x.so', 'ls'], '`LD_PRELOAD=` decides what else runs'],
    [['git', 'no-such-word'], '`git`: no rule'],
    [['tar', 'cf', 'a.tar', '--checkpoint=1', '--checkpoint-action=exec=./s.sh', 'rc'], '`tar` may run programs'],
    [['tar', '-I./s.sh', '-cf', 'a.tar', 'rc'], '`tar` may run programs'],
    [['tar', '--use-compress-program=./s.sh', '-cf', 'a.tar', 'rc'], '`tar` may run programs'],
    [['awk', 'BEGIN{system("./s.sh")}'], '`awk` may run commands'],
    [['gawk', '-f', 's2'], '`gawk` may run commands'],
    [['sed', '-n', '1e ./s.sh', 'rc'], '`sed` may run commands'],
    [['sed', '-f', 's2', 'rc'], '`sed` may run commands'],
    [['psql', '-c', '\\! ./s.sh'], '`psql` may run commands'],
    [['psql', '-c', 'select 1'], '`psql` may run commands'],
    [['psql', '-fs2'], '`psql` may run commands'],
    [['mysql', '-e', 'source s2'], '`mysql` may run commands'],
    [['sqlite3', 'x.db', '.read s2'], '`sqlite3` may run commands'],
    [['docker', 'build', '.'], '`docker` may build from files'],
    [['podman', 'build', '-t', 'x', '.'], '`podman` may build from files'],
    [['curl', '--data-urlencode', 'a@rc', 'http://x'], '`curl` may read files'],
    [['curl', '-F', 'a=@rc;type=x', 'http://x'], '`curl` may read files'],
    [['curl', '-sd@rc', 'http://x'], '`curl` may read files'],
    [['curl', '-F', 'a=<rc', 'http://x'], '`curl` may read files'],
    [script('cat rc | awk -f s2'), '`awk` may run commands'],
    [['sudo', 'tar', '-I./s.sh', '-xf', 'a.tar'], '`tar` may run programs'],
    [script('cat ./sub/*.sh'), 'which files `./sub/*.sh` matches'],
    [script('cat sub/[a-z].sh'), 'which files `sub/[a-z].sh` matches'],
    [['cat', 'sub'], 'what is in the folder `/w/sub`'],
    [['ls', '--x=sub'], 'what is in the folder `/w/sub`'],
    [['sudo', 'cat', '.'], 'what is in the folder `/w`'],
  ])('%j says that it runs what nobody bound: %s', async (argv, why) => {
    const { files } = createFiles();
    const { notBound = [] } = await look(argv, files);
    expect(notBound.join('\n')).toContain('files that this approval does not bind');
    expect(notBound.join('\n')).toContain(why);
  });

  it.each<[readonly string[]]>([
    [['ls', '-l']],
    [['sleep', '1']],
    [['env', 'A=1', 'ls']],
    [['timeout', '5', 'ls']],
    [['sed', '-n', '1,5p', 'rc']],
    [['awk', '{print $1}', 'rc']],
    [['docker', 'ps']],
    [['curl', '-d@rc', 'http://x']],
  ])('%j runs nothing but itself, and says nothing', async (argv) => {
    expect((await look(argv, createFiles().files)).notBound).toEqual([]);
  });
});
