import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { resolveAction } from './resolve.ts';
import type { ActionFiles, ActionRequest, HeldAction, Interpreter, PathFact } from './types.ts';

const MIB = 1024 * 1024;

interface MadeFile {
  readonly text: string;
  readonly sizeBytes?: number;
  readonly interpreter?: Interpreter;
  readonly realPath?: string;
  readonly staysInPlace?: true;
}

/** Files as a table says, each held once at most as long as it is held; `asked` tells how much was free for each. */
function createTable() {
  const files = new Map<string, MadeFile>();
  const folders = new Set<string>(['/w', '/']);
  const held: string[] = [];
  const asked: [string, number][] = [];
  const at: ActionFiles = {
    async inspect(path): Promise<PathFact | undefined> {
      const file = files.get(path);
      if (file === undefined && !folders.has(path)) return undefined;
      return {
        ...{ kind: file ? 'file' : 'directory', realPath: file?.realPath ?? path, device: '1', inode: path, born: '0' },
        ...{ sizeBytes: file?.text.length ?? 0, isExecutable: true },
      };
    },
    async hold(path, mostBytes) {
      const file = files.get(path);
      asked.push([path, mostBytes]);
      const sizeBytes = file?.sizeBytes ?? 1;
      if (file === undefined || sizeBytes > mostBytes) return undefined;
      held.push(path);
      return {
        ...{ sha256: `of ${file.text}`, sizeBytes, heldPath: `/held${path}`, isCopy: true },
        leavesPlace: file.staysInPlace !== true,
        ...(file.interpreter === undefined ? {} : { interpreter: file.interpreter }),
        async release() {
          held.splice(held.indexOf(path), 1);
        },
      };
    },
  };
  return { files, folders, held, asked, at };
}

describe('what a command is bound by', () => {
  let table: ReturnType<typeof createTable>;
  const actions: HeldAction[] = [];
  const file = (path: string, more: Partial<MadeFile> = {}): void => {
    table.files.set(path, { text: path, ...more });
  };
  const resolve = async (change: Partial<ActionRequest> = {}, values: Record<string, string> = { PATH: '/bin' }) => {
    const request: ActionRequest = {
      ...{ origin: 'wn-a', session: 's1', agent: 'agent', argv: ['tool'], cwd: '/w', profile: 'ops' },
      ...{ runner: 'shell', network: 'deny', isolation: 'none', inner: [] },
      ...change,
    };
    const secrets = { secretNames: new Set(['KEY']), sealKey: Buffer.alloc(32, 7) };
    const outcome = await resolveAction(request, { values, ...secrets }, table.at);
    if (outcome.resolved) actions.push(outcome.action);
    return outcome;
  };
  const bound = async (...args: Parameters<typeof resolve>): Promise<HeldAction> => {
    const outcome = await resolve(...args);
    if (!outcome.resolved) throw new Error(outcome.refusal.message);
    return outcome.action;
  };
  const refusal = async (...args: Parameters<typeof resolve>) => {
    const outcome = await resolve(...args);
    if (outcome.resolved) throw new Error('it was resolved');
    expect(table.held).toEqual([]);
    const { code, message, nextSteps } = outcome.refusal;
    return [code, message, ...nextSteps];
  };
  beforeEach(() => {
    table = createTable();
    file('/bin/tool');
  });
  afterEach(async () => {
    await Promise.all(actions.splice(0).map((action) => action.release()));
    expect(table.held).toEqual([]);
  });

  it('is refused with what to do where there is no command, no folder, no program', async () => {
    for (const argv of [[], ['']]) {
      expect(await refusal({ argv })).toEqual(['BAD_REQUEST', 'there is no command', 'name a program']);
    }
    for (const cwd of ['w', '/none', '/bin/tool']) {
      expect(await refusal({ cwd })).toEqual([
        ...['BAD_REQUEST', `\`${cwd}\` is no directory`, 'name the absolute path of one that is there'],
      ]);
    }
    const none = ['BAD_REQUEST', 'there is no program `none`', 'give its absolute path'];
    expect([await refusal({ argv: ['none'] }), await refusal({ argv: ['tool'] }, {})]).toEqual([
      ...[none, none.map((text) => text.replace('none', 'tool'))],
    ]);
  });

  it('is all of it together no more than can be copied, each file once', async () => {
    file('/bin/tool', { sizeBytes: 100 * MIB });
    file('/w/a', { sizeBytes: 156 * MIB });
    const { held, action } = await bound({ argv: ['tool', 'a', './a'] });
    expect(action.files).toEqual([{ path: '/w/a', sha256: 'of /w/a', sizeBytes: 156 * MIB }]);
    expect([...held]).toEqual([
      ['/bin/tool', '/held/bin/tool'],
      ['/w/a', '/held/w/a'],
    ]);
    expect(table.asked).toEqual([
      ['/bin/tool', 256 * MIB],
      ['/w/a', 156 * MIB],
    ]);
    await Promise.all(actions.splice(0).map((one) => one.release()));
    file('/w/b');
    expect(await refusal({ argv: ['tool', 'a', 'b'] })).toEqual([
      ...['BAD_REQUEST', '`/w/b` and what else it names exceed 256MiB, or it goes away'],
      'name files that can be read whole',
    ]);
    // What is bound already takes no more room.
    expect((await bound({ argv: ['tool', 'a', '/bin/tool'] })).action.files).toHaveLength(2);
  });

  it('is nothing once something cannot be held, and nothing more is read then', async () => {
    file('/w/a', { sizeBytes: 300 * MIB });
    file('/w/b');
    const [, message] = await refusal({ argv: ['tool', 'a', 'b'] });
    expect(message).toContain('`/w/a`');
    expect(table.asked.map(([path]) => path)).toEqual(['/bin/tool', '/w/a']);
  });

  it('is its environment, by name, and of a secret only what the node’s own key makes of it', async () => {
    const values = { PATH: '/bin', B: '2', KEY: 'hush', A: '1' };
    const { action } = await bound({}, values);
    expect(action.environment).toEqual([
      { name: 'A', value: '1' },
      { name: 'B', value: '2' },
      { name: 'KEY', sealed: expect.stringMatching(/^[0-9a-f]{64}$/) },
      { name: 'PATH', value: '/bin' },
    ]);
    const again = await bound({}, { ...values, KEY: 'hush!' });
    expect(again.action.environment[2]).not.toEqual(action.environment[2]);
  });

  it('is where its folder really is', async () => {
    const { action } = await bound();
    expect(action.directory).toEqual({ path: '/w', device: '1', inode: '/w', born: '0' });
  });

  it('is the programs of commands inside it, each once, but those that are not there, and their files', async () => {
    for (const path of ['/bin/cp', '/w/a', '/w/b']) file(path);
    const inner = [['cp', 'a'], ['none', 'b'], [''], ['tool']];
    const { action } = await bound({ argv: ['tool', 'x'], inner });
    expect(action.programs.map(({ path }) => path)).toEqual(['/bin/tool', '/bin/cp']);
    expect(action.files.map(({ path }) => path)).toEqual(['/w/a', '/w/b']);
  });

  it('is what runs its script, and what runs that, of the outer program alone', async () => {
    file('/bin/tool', { interpreter: { path: '/bin/second', argument: '-x' } });
    file('/bin/second', { interpreter: { path: '/bin/first' } });
    file('/bin/cp', { interpreter: { path: '/bin/other' } });
    for (const path of ['/bin/first', '/bin/other']) file(path);
    const { action, interpreters } = await bound({ argv: ['tool'], inner: [['cp']] });
    expect(interpreters).toEqual([{ path: '/bin/second', argument: '-x' }, { path: '/bin/first' }]);
    expect(action.programs.map(({ path }) => path)).toEqual([
      ...['/bin/tool', '/bin/cp', '/bin/second', '/bin/first', '/bin/other'],
    ]);
  });

  it('runs as a copy where it is a script that leaves its place, or is given to one: programs, and what those inside run, do not', async () => {
    const script = { interpreter: { path: '/bin/second', argument: '-x' } };
    file('/bin/tool', script);
    file('/bin/second', { interpreter: { path: '/bin/first' } });
    for (const path of ['/bin/first', '/bin/bash', '/w/s.sh', '/w/data', '/w/in.sh']) file(path);
    expect((await bound({ argv: ['tool', 'data'] })).copied).toEqual(['/bin/tool', '/bin/second']);
    expect((await bound({ argv: ['bash', './s.sh', 'data'] })).copied).toEqual(['/w/s.sh']);
    expect((await bound({ argv: ['first', 'x'], inner: [['tool']] })).copied).toEqual([]);
    expect((await bound({ argv: ['bash', './s.sh'], inner: [['bash', './in.sh']] })).copied).toEqual(['/w/s.sh']);
    file('/bin/tool', { ...script, staysInPlace: true });
    file('/w/s.sh', { staysInPlace: true });
    expect((await bound({ argv: ['tool'] })).copied).toEqual(['/bin/second']);
    expect((await bound({ argv: ['bash', './s.sh'] })).copied).toEqual([]);
  });

  it('is refused where what runs it cannot be told, or never ends', async () => {
    file('/bin/tool', { interpreter: { path: '/usr/bin/env', argument: '-S own -x' } });
    expect(await refusal()).toEqual([
      ...['BAD_REQUEST', 'what runs `/bin/tool` cannot be told by its first line'],
      'let its first line name one program',
    ]);
    file('/bin/tool', { interpreter: { path: '/bin/tool' } });
    expect(await refusal()).toEqual([
      ...['BAD_REQUEST', '`/bin/tool` is run by too many scripts in a row', 'let its first line name a program'],
    ]);
  });

  it('may be a row of eight scripts, and of no more', async () => {
    const row = (length: number): void => {
      for (let at = 0; at < length; at++) file(`/bin/s${at}`, { interpreter: { path: `/bin/s${at + 1}` } });
      table.files.set(`/bin/s${length}`, { text: 'a program' });
    };
    row(8);
    expect((await bound({ argv: ['s0'] })).interpreters).toHaveLength(8);
    await Promise.all(actions.splice(0).map((action) => action.release()));
    row(9);
    expect(await refusal({ argv: ['s0'] })).toMatchObject([
      'BAD_REQUEST',
      expect.stringContaining('too many'),
      expect.anything(),
    ]);
  });

  describe('where an interpreter runs a file', () => {
    beforeEach(() => {
      for (const path of ['/bin/node', '/bin/bash', '/bin/python3', '/bin/make']) file(path);
    });

    it('is that file, at its place', async () => {
      file('/w/run');
      const { script, action } = await bound({ argv: ['bash', '-x', 'run'] });
      expect([script, action.files.map(({ path }) => path)]).toEqual([{ at: 2, path: '/w/run' }, ['/w/run']]);
      expect((await bound({ argv: ['bash', '-c', 'text'] })).script).toBeUndefined();
      expect((await bound({ argv: ['tool', 'x'], inner: [['bash', 'run']] })).script).toBeUndefined();
    });

    it('is found with the ending, in the folder or in PATH, as that interpreter finds it', async () => {
      const scriptOf = async (...argv: string[]) => (await bound({ argv })).script?.path;
      file('/w/deploy.js');
      file('/bin/of-path');
      file('/w/folder/index.js');
      file('/w/package/__main__.py');
      for (const folder of ['/w/folder', '/w/package']) table.folders.add(folder);
      expect([
        await scriptOf('node', 'deploy'),
        await scriptOf('bash', 'of-path'),
        await scriptOf('node', 'folder'),
        await scriptOf('node', 'folder/'),
        await scriptOf('python3', 'package'),
      ]).toEqual([
        '/w/deploy.js',
        '/bin/of-path',
        '/w/folder/index.js',
        '/w/folder/index.js',
        '/w/package/__main__.py',
      ]);
    });

    it('is refused where it would look for another one, and says what to name', async () => {
      const next = 'name the file that runs, with its ending and its folder';
      const other = (text: string, name: string) => [
        ...['BAD_REQUEST', `\`${text}\` is no file, and what \`${name}\` would run instead cannot be told`, next],
      ];
      table.folders.add('/w/folder');
      file('/w/folder/index.js');
      file('/w/folder/package.json');
      file('/bin/of-path');
      expect(await refusal({ argv: ['node', 'folder'] })).toEqual(other('folder', 'node'));
      expect(await refusal({ argv: ['bash', 'folder'] })).toEqual(other('folder', 'bash'));
      expect(await refusal({ argv: ['node', 'of-path'] })).toEqual(other('of-path', 'node'));
      expect(await refusal({ argv: ['bash', './of-path'] })).toEqual(other('./of-path', 'bash'));
      expect(await refusal({ argv: ['node', 'deploy/'] })).toEqual(other('deploy/', 'node'));
      expect(await refusal({ argv: ['node', '-r', 'hook', 'run'] })).toEqual([
        ...[
          'BAD_REQUEST',
          '`hook` is no file by that name alone, and `node` would look for it',
          'name the file itself, with its folder (./) and its ending',
        ],
      ]);
      expect(await refusal({ argv: ['bash', '-Q', 'run'] })).toEqual([
        ...['BAD_REQUEST', 'which file `bash` runs cannot be told behind its option `-Q`'],
        'leave the option out, and name the file that runs',
      ]);
      expect(await refusal({ argv: ['tool'], inner: [['bash', 'none']] })).toEqual(other('none', 'bash'));
    });

    it('is what else it loads too', async () => {
      for (const path of ['/w/hook', '/w/run']) file(path);
      const { script, action } = await bound({ argv: ['node', '-r', './hook', 'run'] });
      expect([script, action.files.map(({ path }) => path)]).toEqual([
        { at: 3, path: '/w/run' },
        ['/w/hook', '/w/run'],
      ]);
      const alone = await bound({ argv: ['node', '-r', './hook'] });
      expect([alone.script, alone.action.files.map(({ path }) => path)]).toEqual([undefined, ['/w/hook']]);
    });

    it('is read by what its name leads to, where the name is no interpreter’s', async () => {
      file('/bin/alias', { realPath: '/bin/bash' });
      file('/w/run');
      expect((await bound({ argv: ['alias', 'run'] })).script).toEqual({ at: 1, path: '/w/run' });
      file('/bin/bash', { realPath: '/bin/busybox' });
      expect((await bound({ argv: ['bash', 'run'] })).script).toEqual({ at: 1, path: '/w/run' });
    });

    it('is the first file of its folder that its tool reads', async () => {
      const filesOf = async (...argv: string[]) => (await bound({ argv })).action.files.map(({ path }) => path);
      for (const name of ['just', 'rake', 'task', 'gmake']) file(`/bin/${name}`);
      expect(await filesOf('make')).toEqual([]);
      for (const name of ['Makefile', 'justfile', 'Rakefile', 'Taskfile.yml']) file(`/w/${name}`);
      expect([await filesOf('make'), await filesOf('gmake'), await filesOf('just')]).toEqual([
        ...[['/w/Makefile'], ['/w/Makefile'], ['/w/justfile']],
      ]);
      expect([await filesOf('rake'), await filesOf('task'), await filesOf('tool')]).toEqual([
        ...[['/w/Rakefile'], ['/w/Taskfile.yml'], []],
      ]);
      file('/w/GNUmakefile');
      expect(await filesOf('make', 'all')).toEqual(['/w/GNUmakefile']);
    });
  });
});
