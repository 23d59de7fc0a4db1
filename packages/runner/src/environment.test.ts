import { describe, expect, it } from 'vitest';
import { buildEnvironment, type EnvironmentSpec } from './environment.ts';

const spec: EnvironmentSpec = {
  node: { PATH: '/bin', SECRET: 's', LANG: 'C', WRIT_TASK_TOKEN: 'of another task', WRIT_TASK_SOCKET: '/elsewhere' },
  allowed: [],
  home: '/h',
  tmp: '/t',
  task: 'task-1',
  nonce: 'n',
};

describe('the environment of a run', () => {
  it('holds the way back to the node where the run has one', () => {
    const env = buildEnvironment({ ...spec, access: { socket: '/run/s', token: 'secret' } });
    expect(env).toMatchObject({ WRIT_TASK: 'task-1', WRIT_TASK_SOCKET: '/run/s', WRIT_TASK_TOKEN: 'secret' });
    expect(Object.keys(env).sort()).toEqual(
      ['HOME', 'LANG', 'PATH', 'TMPDIR', 'WRIT_TASK', 'WRIT_TASK_SOCKET', 'WRIT_TASK_TOKEN']
        .concat(Object.keys(env).filter((name) => env[name] === 'n'))
        .sort(),
    );
  });

  it('never holds that of the node itself, not even where a profile lists it', () => {
    const allowed = ['WRIT_TASK_TOKEN', 'WRIT_TASK_SOCKET', 'SECRET'];
    const without = buildEnvironment({ ...spec, allowed });
    expect(without.SECRET).toBe('s');
    expect(Object.keys(without).filter((name) => name.startsWith('WRIT_TASK_'))).toEqual([]);
    const own = buildEnvironment({ ...spec, allowed, access: { socket: '/run/s', token: 'secret' } });
    expect(own).toMatchObject({ WRIT_TASK_SOCKET: '/run/s', WRIT_TASK_TOKEN: 'secret' });
  });
});
