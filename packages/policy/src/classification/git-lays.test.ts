import { describe, expect, it } from 'vitest';
import { testGrammar } from '../testing/shell-grammar.ts';
import { createCommandClassifier } from './classify.ts';

const classifier = createCommandClassifier({ grammar: await testGrammar() });
const classify = (text: string, cwd?: string) =>
  classifier.classify(text.split(' '), { host: 'self', workspace: '/w', ...(cwd === undefined ? {} : { cwd }) });

const LAYS = [
  'git apply x.patch',
  'git am x',
  'git switch main',
  'git merge x',
  'git stash pop',
  'git pull',
  'git init',
];

describe('what git lays over files', () => {
  it.each(LAYS)('is destructive outside of the workspace: %s', (text) => {
    for (const cwd of ['/etc', '/w2', '/'])
      expect(classify(text, cwd)).toMatchObject({ class: 'destructive', needs: ['destructive', 'edit_repo'] });
    expect(classify(text)).toMatchObject({ class: 'destructive', needs: ['destructive', 'edit_repo', 'shell'] });
    expect(classify(text.replace('git', 'git -C /etc'), '/w').class).toBe('destructive');
  });

  it.each(LAYS)('is a change inside: %s', (text) => {
    for (const cwd of ['/w', '/w/sub']) expect(classify(text, cwd).class).toBe('config-mutation');
  });

  it.each([
    ...['git clone x /root/.config', 'git clone ./x ../y', 'git init /etc', 'git worktree add ../x main'],
    ...['git mv a .git/hooks/', 'git mv a /etc/x', 'git worktree move x /y', 'git clone x ~/y'],
  ])('is destructive in a folder that is named outside: %s', (text) =>
    expect(classify(text, '/w')).toMatchObject({ class: 'destructive', needs: ['destructive', 'edit_repo'] }),
  );

  it.each([
    'git clone https://h/x',
    'git clone https://h/x y',
    'git init y',
    'git worktree add y main',
    'git worktree list',
  ])('is none there: %s', (text) => expect(classify(text, '/w').class).not.toBe('destructive'));

  it('goes by the folder that git is sent to', () => {
    expect(classify('git -C .. apply x.patch', '/w/sub').class).toBe('config-mutation');
  });

  it('leaves out what only records', () => {
    for (const text of ['git commit -m x', 'git add .', 'git tag v1', 'git fetch'])
      expect(classify(text, '/etc').class).toBe('config-mutation');
  });
});
