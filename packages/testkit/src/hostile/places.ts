import { execFileSync } from 'node:child_process';
import { mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { HostileGround } from './ground.ts';
import type { HostileRepository } from './types.ts';

const MONITOR = (ground: HostileGround, name: string): string => `[core]\n\tfsmonitor = ${ground.program(name)}\n`;

/** Repositories that lead somewhere else. */
export const PLACES: readonly HostileRepository[] = [
  {
    name: 'objects of somebody else',
    plant(ground) {
      ground.write({
        '.git/objects/info/alternates': `${join(ground.outside, 'other/.git/objects')}\n/nonexistent\n../../../..\n`,
        '.git/objects/info/http-alternates': 'https://example.invalid/objects\n',
      });
    },
  },
  {
    name: 'git directory in a file',
    plant(ground) {
      renameSync(join(ground.dir, '.git'), `${ground.dir}.git-moved`);
      writeFileSync(join(ground.dir, '.git'), `gitdir: ${ground.dir}.git-moved\n`);
      writeFileSync(join(`${ground.dir}.git-moved`, 'config'), MONITOR(ground, 'moved-monitor'), { flag: 'a' });
    },
  },
  {
    name: 'git directory of somebody else in a file',
    plant(ground) {
      rmSync(join(ground.dir, '.git'), { recursive: true });
      writeFileSync(join(ground.dir, '.git'), `gitdir: ${join(ground.outside, 'other/.git')}\n`);
    },
  },
  {
    name: 'git directory behind a link',
    plant(ground) {
      renameSync(join(ground.dir, '.git'), `${ground.dir}.git-moved`);
      symlinkSync(`${ground.dir}.git-moved`, join(ground.dir, '.git'));
    },
  },
  {
    name: 'common directory elsewhere',
    plant(ground) {
      const common = `${ground.dir}.common`;
      mkdirSync(join(common, 'objects'), { recursive: true });
      mkdirSync(join(common, 'refs'));
      writeFileSync(join(common, 'config'), MONITOR(ground, 'common-monitor'));
      ground.write({ '.git/commondir': `${common}\n` });
    },
  },
  {
    name: 'working tree elsewhere',
    plant: (ground) => ground.set({ 'core.worktree': ground.outside, 'core.bare': 'false' }),
  },
  {
    name: 'attributes and ignored names elsewhere',
    plant: (ground) =>
      ground.set({
        'core.attributesFile': join(ground.outside, 'secret'),
        'core.excludesFile': '/etc/passwd',
        'core.quotePath': 'false',
        'core.ignoreCase': 'true',
        'core.symlinks': 'false',
        'core.fileMode': 'false',
        'core.autocrlf': 'true',
        'core.trustctime': 'false',
        'diff.noprefix': 'true',
        'diff.renames': 'copies',
      }),
  },
  {
    name: 'links out',
    plant(ground) {
      symlinkSync(join(ground.outside, 'secret'), join(ground.dir, 'link-to-file'));
      symlinkSync(ground.outside, join(ground.dir, 'link-to-folder'));
      symlinkSync('../../../../../../etc/passwd', join(ground.dir, 'link-up'));
      symlinkSync('link-loop', join(ground.dir, 'link-loop'));
      ground.commit();
      rmSync(join(ground.dir, 'folder'), { recursive: true });
      symlinkSync(ground.outside, join(ground.dir, 'folder'));
      rmSync(join(ground.dir, 'plain.txt'));
      symlinkSync(join(ground.outside, 'secret'), join(ground.dir, 'plain.txt'));
    },
  },
  {
    name: 'links in place of what git reads',
    plant(ground) {
      symlinkSync(join(ground.outside, 'secret'), join(ground.dir, '.gitattributes'));
      symlinkSync('/etc/passwd', join(ground.dir, '.gitignore'));
      symlinkSync(join(ground.outside, 'secret'), join(ground.dir, '.gitmodules'));
    },
  },
  {
    name: 'replaced objects, grafts and a history that is cut off',
    plant(ground) {
      const head = ground.git('rev-parse', 'HEAD');
      const tree = ground.gitWith('', 'hash-object', '-t', 'tree', '-w', '--stdin');
      const other = ground.git('commit-tree', '-m', 'other', tree);
      ground.git('replace', '-f', head, other);
      ground.write({ '.git/info/grafts': `${head} ${other}\n` });
    },
  },
  {
    name: 'a history that is cut off',
    plant: (ground) => ground.write({ '.git/shallow': `${ground.git('rev-parse', 'HEAD')}\n` }),
  },
  {
    name: 'branches with names that are options',
    plant(ground) {
      const head = ground.git('rev-parse', 'HEAD');
      ground.write({
        [`.git/refs/heads/--upload-pack=${'x'}`]: `${head}\n`,
        '.git/refs/heads/-c': `${head}\n`,
        '.git/refs/heads/HEAD': `${head}\n`,
        '.git/refs/heads/..bad': 'no id\n',
        '.git/refs/tags/main': `${head}\n`,
        '.git/packed-refs': `# pack-refs with: peeled\n${head} refs/heads/a\u0001b\nno line\n`,
      });
    },
  },
  {
    name: 'an index that hides changes',
    plant(ground) {
      ground.git('update-index', '--assume-unchanged', 'plain.txt');
      ground.git('update-index', '--skip-worktree', 'folder/inner.txt');
      ground.git('update-index', '--split-index');
      ground.git('update-index', '--untracked-cache');
      ground.write({ 'plain.txt': 'hidden change\n', 'new.txt': 'n\n', '.git/info/exclude': '*\n' });
      ground.git('add', '--intent-to-add', '--force', 'new.txt');
    },
  },
  {
    name: 'a sparse checkout',
    plant(ground) {
      ground.set({ 'core.sparseCheckout': 'true', 'core.sparseCheckoutCone': 'false', 'index.sparse': 'true' });
      ground.write({ '.git/info/sparse-checkout': '/nothing\n' });
    },
  },
  {
    name: 'files that are none',
    plant(ground) {
      execFileSync('mkfifo', [join(ground.dir, 'pipe'), join(ground.dir, 'folder', 'pipe')]);
      ground.write({ '.git/objects/pack/pack-0.idx': 'garbage', '.git/objects/info/commit-graph': 'garbage' });
    },
  },
  {
    name: 'settings that cannot be read',
    plant: (ground) => ground.write({ '.git/config': '[core\n\tbroken = "' }),
  },
  {
    name: 'an index that cannot be read',
    plant: (ground) => ground.write({ '.git/index': Buffer.from('DIRC\0\0\0\x09garbage') }),
  },
];
