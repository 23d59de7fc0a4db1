import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { HostileGround } from './ground.ts';
import type { HostileRepository } from './types.ts';

/** An entry of a tree object, as its bytes. */
function entry(mode: string, name: string | Buffer, id: string): Buffer {
  return Buffer.concat([Buffer.from(`${mode} `), Buffer.from(name), Buffer.from([0]), Buffer.from(id, 'hex')]);
}

/** Commits a tree object of whatever entries, which git itself would not make, as the head of `main`. */
function commitTree(ground: HostileGround, entries: readonly Buffer[]): void {
  const tree = ground.gitWith(Buffer.concat(entries), 'hash-object', '-t', 'tree', '-w', '--literally', '--stdin');
  const commit = ground.git('commit-tree', '-m', 'hostile', '-p', 'HEAD', tree);
  ground.git('update-ref', 'refs/heads/main', commit);
}

function blob(ground: HostileGround, content: string): string {
  return ground.gitWith(content, 'hash-object', '-w', '--stdin');
}

/** A tree of one folder with these entries, as an entry. */
function folder(ground: HostileGround, name: string, entries: readonly Buffer[]): Buffer {
  const id = ground.gitWith(Buffer.concat(entries), 'hash-object', '-t', 'tree', '-w', '--literally', '--stdin');
  return entry('40000', name, id);
}

const ODD = [
  ...['-rf', '--upload-pack=x', ' ', 'a\nb', 'tab\there', '"quoted"', 'back\\slash', ':(top)x', '*', '!x', '#x', '~'],
  ...['\u202egpj.txt', '\u001b[2J', 'ü', 'u\u0308', 'con', 'x'.repeat(255), '.gitignore ', 'refs', 'HEAD', '@{u}'],
];

/** Repositories whose files have names or contents that somebody stumbles over. */
export const TREES: readonly HostileRepository[] = [
  {
    name: 'odd names',
    plant(ground) {
      for (const name of ODD) writeFileSync(join(ground.dir, name), `${name}\n`);
      writeFileSync(Buffer.concat([Buffer.from(`${ground.dir}/`), Buffer.from([0x66, 0xff, 0xfe])]), 'bytes\n');
      ground.commit();
      writeFileSync(join(ground.dir, '--force'), 'untracked\n');
    },
  },
  {
    name: 'names that differ in case',
    plant(ground) {
      ground.write({ README: '1\n', readme: '2\n', 'dir/A': '3\n', 'DIR/a': '4\n', 'Dir/A': '5\n' });
      ground.commit();
    },
  },
  {
    name: 'names of a git directory',
    plant(ground) {
      const id = blob(ground, `[core]\n\tfsmonitor = ${ground.program('checked-out-monitor')}\n`);
      const inner = [entry('100644', 'config', id)];
      commitTree(ground, [
        folder(ground, '.GIT', inner),
        folder(ground, '.g\u200cit', inner),
        folder(ground, 'git~1', inner),
      ]);
    },
  },
  {
    name: 'a git directory in the tree',
    plant(ground) {
      const id = blob(ground, `#!/bin/sh\nexec ${ground.program('tracked-hook')}\n`);
      const hooks = folder(ground, 'hooks', [entry('100755', 'post-checkout', id)]);
      commitTree(ground, [folder(ground, '.git', [hooks])]);
    },
  },
  {
    name: 'a path that climbs',
    plant(ground) {
      const id = blob(ground, 'climbed\n');
      commitTree(ground, [folder(ground, '..', [entry('100644', 'climbed', id)])]);
    },
  },
  {
    name: 'names with a slash in them',
    plant: (ground) => commitTree(ground, [entry('100644', '../outside/climbed', blob(ground, 'climbed\n'))]),
  },
  {
    name: 'a link and a folder of one name',
    plant(ground) {
      const out = blob(ground, ground.outside);
      const through = folder(ground, 'x', [entry('100644', 'climbed', blob(ground, 'climbed\n'))]);
      commitTree(ground, [entry('120000', 'x', out), through]);
    },
  },
  {
    name: 'attributes that change content',
    plant(ground) {
      ground.write({
        '.gitattributes':
          '[attr]evil -diff -text filter=evil\n* ident export-subst eol=crlf\n*.x evil\n*.utf16 working-tree-encoding=UTF-16\n',
        'id.txt': '$Id$\n$Format:%H$\n',
        'a.x': 'x\r\n',
        'folder/.gitattributes': '* binary\n',
      });
      ground.commit();
    },
  },
  {
    name: 'everything is ignored',
    plant: (ground) => ground.write({ '.gitignore': '*\n', '.git/info/exclude': '*\n' }),
  },
  {
    name: 'folders in folders',
    plant(ground) {
      const deep = Array.from({ length: 300 }, () => 'd').join('/');
      mkdirSync(join(ground.dir, deep), { recursive: true });
      writeFileSync(join(ground.dir, deep, 'f'), 'deep\n');
      ground.commit();
    },
  },
  {
    name: 'a file that packs a thousand times',
    plant(ground) {
      ground.write({ zeros: Buffer.alloc(8 * 1024 * 1024) });
      ground.commit();
    },
  },
];
