import { describe, expect, it } from 'vitest';
import { testGrammar } from '../testing/shell-grammar.ts';
import { createCommandClassifier } from './classify.ts';
import type { CommandPlace } from './types.ts';

const classifier = createCommandClassifier({ grammar: await testGrammar() });
const IN_IT: CommandPlace = { host: 'self', cwd: '/w/sub', workspace: '/w' };
const classify = (text: string, place = IN_IT) => classifier.classify(text.split(' '), place);
const lines = (text: string): readonly string[] => text.trim().split('\n');

/** What lays files into the folder in which it runs. */
const LAYS = lines(`
git apply /w/x.patch
git am x.mbox
git switch payload
git merge x
git pull
git rebase main
git cherry-pick x
git revert x
git stash pop
git mv a b
git bisect start
git init
git init new
git clone https://example.org/x
git clone https://example.org/x y
git submodule update --init
git worktree add new
npm install
npm install x
npm ci
npm update
pnpm add x
yarn add x
uv add x
poetry install
helm pull x/y
chown x a
chgrp x a`);

/** The same, each into another folder than the workspace. */
const OUTSIDE = lines(`
git -C /etc apply /w/x.patch
git -C /w -C .. apply x.patch
git -C ../.. switch payload
git -C x/.. pull
git -C lnk clone https://example.org/x ../y
git clone ./w /root/.config/systemd/user
git clone https://example.org/x ../../y
git clone https://example.org/x /w/.git/hooks
git worktree add /root/.config/autostart payload
git worktree move x /etc/x
git init /etc
npm --prefix /etc install
npm --prefix=/etc ci
npm install --pref=/etc
npm install -g --prefix /etc x
npm -C ../.. install
pnpm --dir /etc add x
yarn --cwd /etc add x
pip install --target /etc x
pip install --root=/etc x
cargo install --root /usr x
helm pull x/y -d /etc
chown nobody /etc/sudoers
chown -R x:y ../..
chown --reference=a /etc/sudoers
chgrp users /etc/shadow`);

/** What the place says nothing about. */
const ANYWHERE = lines(`
git commit -m x
git add -A
git fetch --all
git tag v1
npm install -g x
pip install x
pip install --pre x
cargo install x
chown root:root /etc/x
chown 0 /etc/x
setfacl -b /etc/x`);

describe('a command that lays files', () => {
  it.each(LAYS)('needs no more in the workspace: %s', (text) => {
    expect(classify(text).class).toBe('config-mutation');
    expect(classify(text, { ...IN_IT, cwd: '/w' }).class).toBe('config-mutation');
  });

  it.each(LAYS)('takes away what lies outside of it: %s', (text) => {
    const places: readonly CommandPlace[] = [
      { ...IN_IT, cwd: '/etc' },
      { ...IN_IT, cwd: '/w/.git/hooks' },
      { host: 'self', cwd: '/w' },
      { host: 'self', workspace: '/w' },
      { ...IN_IT, host: 'db' },
    ];
    for (const place of places) {
      const { class: is, needs } = classify(text, place);
      expect([place, is, needs.includes('destructive')]).toEqual([place, 'destructive', true]);
    }
  });

  it.each(OUTSIDE)('takes away what is where an argument says: %s', (text) => {
    const { class: is, needs } = classify(text);
    expect(is).toBe('destructive');
    expect(needs).toContain('destructive');
  });

  it.each(['git -C /w/x merge y', 'git -C ../x clone z y', 'git clone z /w/y', 'npm --prefix /w/x ci'])(
    'may be told a folder of the workspace: %s',
    (text) => expect(classify(text).class).toBe('config-mutation'),
  );

  it.each(ANYWHERE)('is not what goes elsewhere: %s', (text) => {
    expect(classify(text, { ...IN_IT, cwd: '/srv' }).class).toBe('config-mutation');
  });
});
