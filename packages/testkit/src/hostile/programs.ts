import { chmodSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import type { HostileGround } from './ground.ts';
import type { HostileRepository } from './types.ts';

const HOOKS = [
  ...['applypatch-msg', 'pre-applypatch', 'post-applypatch', 'pre-commit', 'pre-merge-commit', 'prepare-commit-msg'],
  ...['commit-msg', 'post-commit', 'pre-rebase', 'post-checkout', 'post-merge', 'pre-push', 'pre-receive', 'update'],
  ...['proc-receive', 'post-receive', 'post-update', 'reference-transaction', 'push-to-checkout', 'pre-auto-gc'],
  ...['post-rewrite', 'post-index-change', 'fsmonitor-watchman'],
];
const EVERY = '* filter=evil diff=evil merge=evil -text\n';

function hooksIn(ground: HostileGround, folder: string): void {
  for (const name of HOOKS) {
    ground.write({ [`${folder}/${name}`]: `#!/bin/sh\nexec ${ground.program(`hook-${name}`)}\n` });
    chmodSync(join(ground.dir, folder, name), 0o755);
  }
}

/** Repositories that name programs for git to run. */
export const PROGRAMS: readonly HostileRepository[] = [
  { name: 'hooks', plant: (ground) => hooksIn(ground, '.git/hooks') },
  {
    name: 'hooks in the tree',
    plant(ground) {
      hooksIn(ground, '.githooks');
      ground.commit();
      ground.set({ 'core.hooksPath': '.githooks' });
    },
  },
  {
    name: 'file system monitor',
    plant: (ground) => ground.set({ 'core.fsmonitor': ground.program('fsmonitor'), 'core.fsmonitorHookVersion': '2' }),
  },
  {
    name: 'filters',
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
    plant(ground) {
      ground.write({ '.gitattributes': EVERY });
      ground.commit();
      ground.write({ '.git/info/attributes': EVERY });
      ground.set({ 'filter.evil.process': ground.program('process'), 'filter.evil.required': 'true' });
    },
  },
  {
    name: 'text conversion and diff drivers',
    plant(ground) {
      ground.write({ '.gitattributes': EVERY });
      ground.commit();
      ground.set({
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
    plant(ground) {
      ground.set({ 'extensions.worktreeConfig': 'true' });
      ground.write({ '.git/config.worktree': `[core]\n\tfsmonitor = ${ground.program('worktree-monitor')}\n` });
    },
  },
  {
    name: 'programs for everything else',
    plant: (ground) =>
      ground.set({
        'core.sshCommand': ground.program('ssh'),
        'core.editor': ground.program('editor'),
        'sequence.editor': ground.program('sequence-editor'),
        'core.askPass': ground.program('askpass'),
        'core.gitProxy': ground.program('proxy'),
        'core.alternateRefsCommand': ground.program('alternate-refs'),
        'credential.helper': `!${ground.program('credential')}`,
        'gpg.program': ground.program('gpg'),
        'gpg.ssh.program': ground.program('gpg-ssh'),
        'commit.gpgSign': 'true',
        'tag.gpgSign': 'true',
        'uploadpack.packObjectsHook': ground.program('pack-objects'),
        'remote.origin.uploadpack': ground.program('upload-pack'),
        'remote.origin.receivepack': ground.program('receive-pack'),
        'alias.status': `!${ground.program('alias-status')}`,
        'alias.checkout': `!${ground.program('alias-checkout')}`,
        'trailer.evil.command': ground.program('trailer'),
        'interactive.diffFilter': ground.program('diff-filter'),
      }),
  },
  {
    name: 'addresses that run programs',
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
