import { describe, expect, it } from 'vitest';
import { namedPaths } from './named-paths.ts';
import type { ActionFiles, PathFact } from './types.ts';

/** What is found, and every path that was looked at, in order. */
async function look(
  argumentLists: readonly (readonly string[])[],
  there: Readonly<Record<string, PathFact['kind']>> = {},
) {
  const looked: string[] = [];
  const files = {
    async inspect(path: string) {
      looked.push(path);
      return there[path] === undefined ? undefined : { kind: there[path] };
    },
  } as unknown as ActionFiles;
  return { ...(await namedPaths(argumentLists, '/w', files)), looked };
}

describe('what arguments name', () => {
  it.each<[string, readonly string[]]>([
    ['a', ['/w/a']],
    ['a=b', ['/w/a=b', '/w/b']],
    ['--x=b=c', ['/w/--x=b=c', '/w/b=c']],
    ['a=', ['/w/a=']],
    ['=b', ['/w/=b', '/w/b']],
    ['-fb', ['/w/-fb', '/w/b']],
    ['-f', ['/w/-f']],
    ['--b', ['/w/--b']],
    ['x-fb', ['/w/x-fb']],
    ['-f=b', ['/w/-f=b', '/w/=b', '/w/b']],
    ['@b', ['/w/@b', '/w/b']],
    ['-f@b', ['/w/-f@b', '/w/@b', '/w/b']],
    ['a=@b', ['/w/@b', '/w/a=@b', '/w/b']],
    ['@', ['/w/@']],
    ['/b', ['/b']],
    ['', []],
    ['a\0b', []],
    ['a'.repeat(4097), []],
  ])('by %j is looked at in every reading', async (argument, paths) => {
    expect((await look([['tool', argument]])).looked).toEqual([...paths]);
  });

  it('is told as files and folders, each once, and not what is not there or the program itself', async () => {
    const there = { '/w/f': 'file', '/w/d': 'directory', '/w/s': 'other', '/w/tool': 'file' } as const;
    const lists = [['tool', 'f', 'd', 's', 'none'], ['tool', 'f'], []];
    expect(await look(lists, there)).toMatchObject({ files: ['/w/f'], folders: ['/w/d'] });
  });
});
