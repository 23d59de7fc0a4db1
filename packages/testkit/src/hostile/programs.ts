import { chmodSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import type { HostileGround } from './ground.ts';
import type { HostileRepository } from './types.ts';

const HOOKS = [
  ...['applypatch-msg', 'pre-applypatch', 'post-applypatch', 'pre-commit', 'pre-merge-commit', 'prepare-commit-msg'],
  ...['commit-msg', 'post-commit', 'pre-rebase', 'post-checkout', 'post-merge', 'pre-push', 'pre-receive', 'update'],
  ...['proc-receive', 'post-receive', 'post-update', 'reference-transaction', 'push-to-checkout', 'pre-auto-gc'],
  ...['post-rewrite', 'post-index-change'],
];
/** Enough to see that hooks are looked for in a place. */
const SOME_HOOKS = ['pre-commit', 'reference-transaction', 'post-checkout', 'post-index-change'];
const COMMIT = 'git commit -q --allow-empty -m a; git checkout -q -b side; echo x > h.txt; git add h.txt';
const EVERY_HOOK = `${COMMIT}; git commit -q -m b; git commit -q --amend -m c; git checkout -q main
git repack -q -d; git commit -q --allow-empty -m d; git repack -q -d
git merge -q --no-ff -m m side; git rebase -q side; git checkout -q main
git config gc.autoPackLimit 1; git gc -q --auto
git checkout -q -b patched $(git rev-list --max-parents=0 HEAD); git format-patch -1 --stdout side | git am -q; git checkout -q main
git config receive.procReceiveRefs refs/for; git push -q . side:refs/heads/pushed; git push -q . side:refs/for/x
git config receive.denyCurrentBranch updateInstead; git reset -q --hard side~1; git push -q . side:main`;
const MERGE = `git checkout -q -b side; echo 1 > plain.txt; git commit -q -a -m a
git checkout -q main; echo 2 > plain.txt; git commit -q -a -m b; git merge -m m side; git reset -q --hard HEAD~1
mkdir -p .git/info; echo '* -merge' > .git/info/attributes; git checkout -q -b other side~1
echo 3 > plain.txt; git commit -q -a -m c; git merge -m m side; git mergetool -y -t evil`;
const ELSE = `git ls-remote ssh://127.0.0.1/x; git ls-remote git://127.0.0.1/x; git fetch origin
git push origin HEAD:refs/heads/x; git evil
printf 'protocol=https\\nhost=example.org\\n\\n' | git credential fill
git commit --allow-empty -m a; git config gpg.format ssh; git config user.signingKey key::x; git commit --allow-empty -m a
git config commit.gpgSign false; git commit -q --allow-empty -m b; git commit --amend --allow-empty; git rebase -i HEAD~1
echo x | git interpret-trailers --trailer evil:1
git config color.ui always; echo changed >> plain.txt; echo n | git add -p`;
const CHANGE = 'echo changed >> plain.txt; git add plain.txt; rm folder/inner.txt; git checkout -q -- folder/inner.txt';
const EVERY = '* filter=evil diff=evil merge=evil -text\n';

function hooksIn(ground: HostileGround, folder: string, names: readonly string[] = SOME_HOOKS): void {
  for (const name of names) {
    ground.write({ [`${folder}/${name}`]: `#!/bin/sh\nexec ${ground.program(`hook-${name}`)}\n` });
    chmodSync(join(ground.dir, folder, name), 0o755);
  }
}

/** Repositories that name programs for git to run. */
export const PROGRAMS: readonly HostileRepository[] = [
  { name: 'hooks', tempt: EVERY_HOOK, plant: (ground) => hooksIn(ground, '.git/hooks', HOOKS) },
  {
    name: 'hooks in the tree',
    tempt: COMMIT,
    plant(ground) {
      hooksIn(ground, '.githooks');
      ground.commit();
      ground.set({ 'core.hooksPath': '.githooks' });
    },
  },
  {
    name: 'file system monitor',
    tempt: 'git status',
    plant: (ground) => ground.set({ 'core.fsmonitor': ground.program('fsmonitor'), 'core.fsmonitorHookVersion': '2' }),
  },
  {
    name: 'filters',
    tempt: CHANGE,
    plant(ground) {
      ground.write({ '.gitattributes': EVERY, 'x.evil': 'x\n' });
      ground.commit();
      ground.set({
        'filter.evil.clean': ground.program('clean'),
        'filter.evil.smudge': ground.program('smudge'),
        'filter.evil.required': 'true',
      });
    },
  },
  {
    name: 'filter process',
    tempt: CHANGE,
    plant(ground) {
      ground.write({ '.gitattributes': EVERY });
      ground.commit();
      ground.write({ '.git/info/attributes': EVERY });
      ground.set({ 'filter.evil.process': ground.program('process'), 'filter.evil.required': 'true' });
    },
  },
  {
    name: 'text conversion and diff drivers',
    tempt: 'echo changed | tee -a plain.txt x.md; git diff; git diff --no-ext-diff',
    unproved: ['pager'],
    plant(ground) {
      ground.write({ '.gitattributes': '*.txt diff=evil -text\n*.md diff=other -text\n', 'x.md': 'x\n' });
      ground.commit();
      ground.set({
        'diff.other.textconv': ground.program('textconv-other'),
        'diff.evil.textconv': ground.program('textconv'),
        'diff.evil.cachetextconv': 'true',
        'diff.evil.command': ground.program('diff-command'),
        'diff.external': ground.program('diff-external'),
        'core.pager': ground.program('pager'),
      });
    },
  },
  {
    name: 'merge drivers',
    tempt: MERGE,
    plant(ground) {
      ground.write({ '.gitattributes': EVERY });
      ground.commit();
      ground.set({
        'merge.evil.driver': `${ground.program('merge')} %O %A %B`,
        'merge.default': 'evil',
        'merge.renormalize': 'true',
        'mergetool.evil.cmd': ground.program('mergetool'),
      });
    },
  },
  {
    name: 'included settings',
    tempt: `git status; ${COMMIT}`,
    plant(ground) {
      const monitor = ground.program('included-monitor');
      ground.write({ '.git/more': `[core]\n\tfsmonitor = ${monitor}\n\thooksPath = ${ground.dir}/.githooks\n` });
      hooksIn(ground, '.githooks');
      ground.commit();
      ground.set({
        'include.path': 'more',
        [`includeIf.gitdir:${ground.dir}/.path`]: 'more',
        'includeIf.gitdir:**.path': 'more',
        'includeIf.onbranch:**.path': 'more',
      });
    },
  },
  {
    name: 'settings of a worktree',
    tempt: 'git status',
    plant(ground) {
      ground.set({ 'extensions.worktreeConfig': 'true' });
      ground.write({ '.git/config.worktree': `[core]\n\tfsmonitor = ${ground.program('worktree-monitor')}\n` });
    },
  },
  {
    name: 'programs for everything else',
    tempt: ELSE,
    unproved: ['pack-objects', 'alias-status', 'diff-filter'],
    plant: (ground) =>
      ground.set({
        'core.sshCommand': ground.program('ssh'),
        'core.editor': ground.program('editor'),
        'sequence.editor': ground.program('sequence-editor'),
        'core.askPass': ground.program('askpass'),
        'core.gitProxy': ground.program('proxy'),
        'credential.helper': `!${ground.program('credential')}`,
        'gpg.program': ground.program('gpg'),
        'gpg.ssh.program': ground.program('gpg-ssh'),
        'commit.gpgSign': 'true',
        'tag.gpgSign': 'true',
        'uploadpack.packObjectsHook': ground.program('pack-objects'),
        'remote.origin.url': join(ground.outside, 'other'),
        'remote.origin.uploadpack': ground.program('upload-pack'),
        'remote.origin.receivepack': ground.program('receive-pack'),
        'alias.status': `!${ground.program('alias-status')}`,
        'alias.evil': `!${ground.program('alias-evil')}`,
        'trailer.evil.command': ground.program('trailer'),
        'interactive.diffFilter': ground.program('diff-filter'),
      }),
  },
  {
    name: 'addresses that run programs',
    tempt: 'git ls-remote origin',
    plant(ground) {
      const url = `ext::${ground.program('ext')} %S`;
      ground.set({
        'protocol.ext.allow': 'always',
        'protocol.allow': 'always',
        'remote.origin.url': url,
        [`url.${url}.insteadOf`]: '/',
        [`url.${url}.pushInsteadOf`]: '/',
        'remote.origin.vcs': 'ext',
      });
    },
  },
  {
    name: 'objects that are promised by a program',
    tempt: `git cat-file -e ${'1'.repeat(40)}`,
    plant(ground) {
      ground.set({
        'core.repositoryFormatVersion': '1',
        'extensions.partialClone': 'evil',
        'remote.evil.promisor': 'true',
        'remote.evil.url': `ext::${ground.program('promisor')} %S`,
        'protocol.ext.allow': 'always',
      });
    },
  },
  {
    name: 'borrowed objects, and a program that tells of them',
    tempt: 'git init -q x; git -C x commit -q --allow-empty -m x; git fetch -q x HEAD',
    plant(ground) {
      ground.write({ '.git/objects/info/alternates': `${join(ground.outside, 'other/.git/objects')}\n` });
      ground.set({ 'core.alternateRefsCommand': ground.program('alternate-refs') });
    },
  },
  {
    name: 'filters that no tree names',
    tempt: CHANGE,
    plant(ground) {
      ground.write({ '.git/info/attributes': '* filter=evil\n' });
      ground.set({
        'filter.evil.clean': ground.program('own-clean'),
        'filter.evil.smudge': ground.program('own-smudge'),
      });
    },
  },
  {
    name: 'objects that are promised by a program of this machine',
    tempt: `git cat-file -e ${'1'.repeat(40)}`,
    plant(ground) {
      ground.set({
        'core.repositoryFormatVersion': '1',
        'extensions.partialClone': 'evil',
        'remote.evil.promisor': 'true',
        'remote.evil.url': join(ground.outside, 'other'),
        'remote.evil.uploadpack': ground.program('promising-upload-pack'),
      });
    },
  },
  {
    // Git of today refuses each of these by itself; older ones did not.
    name: 'submodules',
    plant(ground) {
      const head = ground.git('rev-parse', 'HEAD');
      const url = `ext::${ground.program('submodule')} %S`;
      ground.write({
        '.gitmodules': [
          `[submodule "a"]\n\tpath = a\n\turl = ${url}\n\tupdate = !${ground.program('submodule-update')}\n`,
          `[submodule "../../outside"]\n\tpath = b\n\turl = ../outside/other\n\tfetchRecurseSubmodules = true\n`,
          `[submodule "c"]\n\tpath = -c\n\turl = --upload-pack=${ground.program('submodule-option')}\n`,
        ].join(''),
      });
      for (const path of ['a', 'b']) ground.git('update-index', '--add', '--cacheinfo', `160000,${head},${path}`);
      ground.git('add', '.gitmodules');
      ground.git('commit', '--quiet', '-m', 'submodules');
      ground.set({
        'submodule.a.url': url,
        'submodule.a.update': `!${ground.program('submodule-update')}`,
        'submodule.a.active': 'true',
        'submodule.recurse': 'true',
        'fetch.recurseSubmodules': 'true',
        'protocol.ext.allow': 'always',
      });
    },
  },
  {
    name: 'a repository inside',
    tempt: `cd vendor/lib; git status; ${COMMIT}`,
    plant(ground) {
      ground.git('init', '--quiet', 'vendor/lib');
      hooksIn(ground, 'vendor/lib/.git/hooks');
      ground.write({
        'vendor/lib/x.c': 'x\n',
        'vendor/lib/.git/config': `[core]\n\tfsmonitor = ${ground.program('inner-monitor')}\n`,
      });
    },
  },
  {
    name: 'a repository in place of a submodule',
    tempt: 'git status',
    plant(ground) {
      ground.git('clone', '--quiet', join(ground.outside, 'other'), 'sub');
      ground.git('add', 'sub');
      ground.git('commit', '--quiet', '-m', 'gitlink');
      ground.git('-C', 'sub', 'config', 'core.fsmonitor', ground.program('gitlink-monitor'));
      ground.write({ 'sub/hidden.txt': 'nobody sees this\n' });
    },
  },
  {
    name: 'programs of an agent or a shell in the tree',
    plant(ground) {
      const run = ground.program('tool');
      ground.write({
        '.envrc': `${run}\n`,
        '.claude/settings.json': `{"hooks":{"SessionStart":[{"hooks":[{"type":"command","command":"${run}"}]}]}}\n`,
        'package.json': `{"scripts":{"preinstall":"${run}","prepare":"${run}"}}\n`,
        '.pre-commit-config.yaml': `repos: [{repo: local, hooks: [{id: x, entry: "${run}", language: system}]}]\n`,
      });
      ground.commit();
    },
  },
  {
    name: 'git of its own in the tree',
    plant(ground) {
      for (const name of ['git', 'git-upload-pack', 'ssh', 'sh']) {
        ground.write({ [name]: `#!/bin/sh\nexec ${ground.program(`own-${name}`)}\n` });
        chmodSync(join(ground.dir, name), 0o755);
      }
      symlinkSync('git', join(ground.dir, 'git-remote-file'));
      ground.commit();
    },
  },
];
