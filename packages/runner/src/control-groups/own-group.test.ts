import { describe, expect, it } from 'vitest';
import { ownGroup } from './own-group.ts';

const MOUNT = '29 23 0:26 / /sys/fs/cgroup rw,nosuid shared:9 - cgroup2 cgroup2 rw,nsdelegate';
const OLD = '30 23 0:27 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory';

describe('the control group of a process', () => {
  it.each([
    [`${OLD}\n${MOUNT}`, '0::/user.slice/app.scope\n', '/sys/fs/cgroup/user.slice/app.scope'],
    [MOUNT, '4:memory:/x\n0::/\n', '/sys/fs/cgroup'],
    // Inside a container that sees a part of the tree.
    [MOUNT.replace(' / /', ' /box /'), '0::/box/a\n', '/sys/fs/cgroup/a'],
    [MOUNT.replace('/sys/fs/cgroup', '/a\\040b'), '0::/c\n', '/a b/c'],
  ])('is found by where version 2 is mounted', (mountinfo, cgroup, folder) => {
    expect(ownGroup(mountinfo, cgroup)?.folder).toBe(folder);
  });

  it.each([
    [OLD, '4:memory:/x\n'],
    [MOUNT, '4:memory:/x\n'],
    [OLD, '0::/x\n'],
    [MOUNT.replace(' / /', ' /box /'), '0::/boxer\n'],
    ['', ''],
  ])('is none where version 2 is not there, or the mount does not show it', (mountinfo, cgroup) => {
    expect(ownGroup(mountinfo, cgroup)).toBeUndefined();
  });
});
