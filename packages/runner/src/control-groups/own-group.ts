import { join } from 'node:path';

/** Where the control groups of version 2 are mounted, and which one a process is in. */
export interface OwnGroup {
  /** Absolute path of the file system. */
  readonly mount: string;
  /** Absolute path of the group's folder; the mount itself for the root of all groups that can be seen. */
  readonly folder: string;
}

/** From the texts of `/proc/self/mountinfo` and `/proc/self/cgroup` (cgroups(7)); undefined where there is no version 2. */
export function ownGroup(mountinfo: string, cgroup: string): OwnGroup | undefined {
  const path = /^0::(\/.*)$/m.exec(cgroup)?.[1];
  const mount = mountinfo
    .split('\n')
    .map((line) => line.split(' '))
    .find((fields) => fields[fields.indexOf('-') + 1] === 'cgroup2');
  if (path === undefined || mount === undefined) return undefined;
  const [root = '', point = ''] = mount.slice(3, 5).map(unescaped);
  // A mount may show a part of the tree only; a group beside that cannot be reached.
  if (path !== root && !path.startsWith(root === '/' ? '/' : `${root}/`)) return undefined;
  const below = root === '/' ? path : path.slice(root.length);
  return { mount: point, folder: below === '/' || below === '' ? point : join(point, below) };
}

/** Blanks and their like stand there as octal numbers. */
function unescaped(field: string): string {
  return field.replace(/\\([0-7]{3})/g, (_, octal: string) => String.fromCharCode(Number.parseInt(octal, 8)));
}
