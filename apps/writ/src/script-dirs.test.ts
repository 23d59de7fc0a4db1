import { expect, it } from 'vitest';
import { scriptDirs } from './script-dirs.ts';

it('copies of scripts lie in the folder of the system for what runs: the one that the environment names, or the usual one', () => {
  const dirs = (xdgRuntimeDir: string | undefined, user: number | undefined) =>
    scriptDirs({ heldName: 'writ-held-1' }, { xdgRuntimeDir }, user);
  expect(dirs('/run/user/7/', 1000)).toEqual(['/run/user/7/writ-held-1']);
  expect(dirs(undefined, 1000)).toEqual(['/run/user/1000/writ-held-1']);
  expect(dirs(undefined, 0)).toEqual(['/run/user/0/writ-held-1', '/run/writ-held-1']);
  expect(dirs('/run/user/../../home/ada', 1000)).toEqual(['/home/ada/writ-held-1']);
  expect(dirs('/run/user/7', undefined)).toEqual([]);
});
