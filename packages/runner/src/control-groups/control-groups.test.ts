import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  accessSync,
  constants,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { silentLogger } from '@writ/core';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type ControlGroupsOptions, createControlGroups, describeGroups } from './control-groups.ts';
import { ownGroup } from './own-group.ts';

const OWN = 4711;

describe('control groups, in a folder like the kernel’s', () => {
  let root: string;
  let own: string;
  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'writ-groups-'));
    own = join(root, 'cg', 'user', 'app');
    for (const folder of [own, join(root, 'proc', 'self')]) mkdirSync(folder, { recursive: true });
    writeFileSync(join(root, 'proc/self/mountinfo'), `29 23 0:26 / ${root}/cg rw - cgroup2 cgroup2 rw\n`);
    writeFileSync(join(root, 'proc/self/cgroup'), '0::/user/app\n');
    writeFileSync(join(own, 'cgroup.controllers'), 'cpuset cpu io memory pids\n');
    writeFileSync(join(own, 'cgroup.subtree_control'), '');
    writeFileSync(join(own, 'cgroup.procs'), `${OWN}\n`);
  });
  afterEach(() => rmSync(root, { recursive: true }));

  const open = (over: Partial<ControlGroupsOptions> = {}): ReturnType<typeof createControlGroups> =>
    createControlGroups({
      ...{ proc: join(root, 'proc'), needed: ['memory', 'pids'], label: 'x', memoryBytes: 1000 },
      ...{ isOwn: (pid) => pid === OWN, logger: silentLogger },
      // What the kernel does at once: nothing is in the way of removing a group but its processes.
      pause: async () => rmSync(join(own, 'writ-x', 'run-1'), { recursive: true, force: true }),
      ...over,
    });
  const read = (...path: string[]): string => readFileSync(join(own, ...path), 'utf8');

  it('step aside, share what there is, and limit each run as a whole', async () => {
    const groups = open();
    expect(await groups.report()).toEqual({
      available: true,
      limits: ['memory as a whole', 'processes as a whole', 'share of the processor'],
    });
    expect(read('node', 'cgroup.procs')).toBe(String(OWN));
    expect([read('cgroup.subtree_control'), read('writ-x', 'cgroup.subtree_control')]).toEqual([
      '+memory +pids +cpu',
      '+memory +pids +cpu',
    ]);
    const group = await groups.open('run-1');
    const limits = ['memory.max', 'memory.swap.max', 'memory.oom.group', 'pids.max', 'cpu.weight'];
    expect(limits.map((name) => read('writ-x', 'run-1', name))).toEqual(['800', '0', '1', '4096', '50']);
    expect(group?.join(['a', 'b']).slice(3)).toEqual([join(own, 'writ-x', 'run-1'), 'a', 'b']);
    writeFileSync(join(own, 'writ-x', 'run-1', 'cgroup.procs'), '');
    await group?.close();
    expect(existsSync(join(own, 'writ-x', 'run-1'))).toBe(false);
    await group?.close();
  });

  it('do without the processor where that is not given', async () => {
    writeFileSync(join(own, 'cgroup.controllers'), 'memory pids\n');
    expect(describeGroups(await open().report())).toBe(
      'limited by control groups: memory as a whole, processes as a whole',
    );
  });

  it('end what is in groups that a run made below its own, and remove those, the deepest first', async () => {
    const run = join(own, 'writ-x', 'run-1');
    const seen: unknown[] = [];
    const groups = open({
      async pause() {
        seen.push(existsSync(join(run, 'cgroup.kill')), existsSync(join(run, 'a')));
        rmSync(run, { recursive: true });
      },
    });
    const group = await groups.open('run-1');
    mkdirSync(join(run, 'a', 'b'), { recursive: true });
    await group?.close();
    expect(seen).toEqual([true, false]);
  });

  it('remove what an earlier node left', async () => {
    mkdirSync(join(own, 'writ-x', 'run-1'), { recursive: true });
    writeFileSync(join(own, 'writ-x', 'run-1', 'cgroup.procs'), '');
    await open().report();
    expect(existsSync(join(own, 'writ-x', 'run-1'))).toBe(false);
  });

  it('are emptied with all that a run made below its own', async () => {
    const run = join(own, 'writ-x', 'run-1');
    mkdirSync(join(run, 'sub', 'deep'), { recursive: true });
    const seen: unknown[] = [];
    const pause = async (): Promise<void> => {
      seen.push([readFileSync(join(run, 'cgroup.kill'), 'utf8'), existsSync(join(run, 'sub'))]);
      rmSync(run, { recursive: true });
    };
    await open({ pause }).report();
    expect(seen).toEqual([['1', false]]);
    expect(existsSync(run)).toBe(false);
  });

  it.each<[string, () => void]>([
    ['no control groups of version 2', () => writeFileSync(join(root, 'proc/self/cgroup'), '3:pids:/x\n')],
    ['has no pids to give', () => writeFileSync(join(own, 'cgroup.controllers'), 'memory\n')],
    ['shares its control group', () => writeFileSync(join(own, 'cgroup.procs'), `${OWN}\n1\n`)],
    ['they cannot be made', () => rmSync(join(own, 'cgroup.controllers'))],
    ['may not divide', () => rmSync(join(own, 'cgroup.subtree_control'))],
  ])('are none where %s, which is said, and nothing is changed', async (reason, spoil) => {
    spoil();
    const groups = open();
    expect(describeGroups(await groups.report())).toMatch(new RegExp(`^no control groups: .*${reason}`));
    expect(await groups.open('run-1')).toBeUndefined();
    expect(existsSync(join(own, 'node')) || existsSync(join(own, 'writ-x'))).toBe(false);
  });

  it('are looked for again once whoever started the node has left its group', async () => {
    writeFileSync(join(own, 'cgroup.procs'), `${OWN}\n1\n`);
    const groups = open();
    expect((await groups.report()).available).toBe(false);
    writeFileSync(join(own, 'cgroup.procs'), `${OWN}\n`);
    expect((await groups.report()).available).toBe(true);
  });
});

/** Whether the kernel of this machine lets this user make groups, with or without controllers. */
function canMakeGroups(): boolean {
  try {
    const [mountinfo, cgroup] = ['mountinfo', 'cgroup'].map((name) => readFileSync(`/proc/self/${name}`, 'utf8'));
    const own = ownGroup(mountinfo ?? '', cgroup ?? '');
    if (own === undefined || own.folder !== own.mount) return false;
    accessSync(join(own.folder, 'cgroup.subtree_control'), constants.W_OK);
    return existsSync(join(own.folder, 'cgroup.kill')) || own.folder === own.mount;
  } catch {
    return false;
  }
}

const NAME = canMakeGroups()
  ? 'control groups of this kernel'
  : 'control groups of this kernel [skipped, missing: a control group that this user may divide: systemd-run --user --scope -p Delegate=yes]';

describe.skipIf(!canMakeGroups())(NAME, () => {
  it('hold whatever a run left, however it hid, and kill it when they are closed', async () => {
    const groups = createControlGroups({
      ...{ proc: '/proc', needed: [], label: `test-${process.pid}`, memoryBytes: 2 ** 34, isOwn: () => false },
      ...{ pause: (ms) => new Promise((resolve) => setTimeout(resolve, ms)), logger: silentLogger },
    });
    const group = await groups.open('run-1');
    if (group === undefined) throw new Error('there is no group');
    const script =
      '(cd /; exec env -i setsid sh -c "trap : TERM; while :; do sleep 0.05; done" >/dev/null 2>&1 </dev/null) & echo up';
    const [program = '', ...args] = group.join(['sh', '-c', script]);
    const child: ChildProcess = spawn(program, args, { stdio: ['ignore', 'pipe', 'inherit'] });
    await once(child, 'exit');
    expect(readFileSync(join(group.folder, 'cgroup.procs'), 'utf8')).not.toBe('');
    await group.close();
    expect(existsSync(group.folder)).toBe(false);
    rmSync(join(group.folder, '..'), { recursive: true, force: true });
  });

  it('hold what hides in a group below that of the run', async () => {
    const groups = createControlGroups({
      ...{ proc: '/proc', needed: [], label: `test-below-${process.pid}`, memoryBytes: 2 ** 34, isOwn: () => false },
      ...{ pause: (ms) => new Promise((resolve) => setTimeout(resolve, ms)), logger: silentLogger },
    });
    const group = await groups.open('run-1');
    if (group === undefined) throw new Error('there is no group');
    const script = `mkdir -p ${group.folder}/a/b; echo 0 > ${group.folder}/a/b/cgroup.procs; (while :; do sleep 0.05; done) >/dev/null 2>&1 & echo up`;
    const [program = '', ...args] = group.join(['sh', '-c', script]);
    const child: ChildProcess = spawn(program, args, { stdio: ['ignore', 'pipe', 'inherit'] });
    await once(child, 'exit');
    expect(readFileSync(join(group.folder, 'a', 'b', 'cgroup.procs'), 'utf8')).not.toBe('');
    await group.close();
    expect(existsSync(group.folder)).toBe(false);
    rmSync(join(group.folder, '..'), { recursive: true, force: true });
  });

  it('let no program start outside of them', async () => {
    const [program = '', ...args] = [
      '/bin/sh',
      '-c',
      'echo 0 > "$0/cgroup.procs" && exec "$@"',
      '/nowhere',
      'echo',
      'out',
    ];
    const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'ignore'] });
    let out = '';
    child.stdout.on('data', (bytes) => {
      out += bytes;
    });
    const [code] = await once(child, 'close');
    expect([code !== 0, out]).toEqual([true, '']);
  });
});
