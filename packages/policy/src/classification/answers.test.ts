import { expect, it } from 'vitest';
import { testGrammar } from '../testing/shell-grammar.ts';
import { createCommandClassifier } from './classify.ts';

const grammar = await testGrammar();
const classify = (argv: readonly string[], commands: Parameters<typeof createCommandClassifier>[0]['commands'] = []) =>
  createCommandClassifier({ grammar, commands }).classify(argv, { host: 'self', cwd: '/w', workspace: '/w' });

it.each([
  [['git', '--version']],
  [['docker', 'compose', 'version']],
  [['docker', 'rm', '--help']],
  [['terraform', 'apply', '-help']],
  [['rm', '--version']],
  [['sudo', '-V']],
  [['sudo', 'docker', '--version']],
])('%j only says what the program is', (argv) => {
  expect(classify(argv)).toMatchObject({ class: 'read', needs: [], known: true });
});

it.each([
  [['git', '--version', 'push', '--force']],
  [['docker', 'compose version']],
  [['docker', 'rm', '--help', 'web']],
  [['docker', '--help', 'rm', 'web']],
  [['docker', 'of-tomorrow', '--help']],
  [['git', 'commit', '--help']],
  [['rm', '--version', 'a']],
  [['rm', '--help=x', 'a']],
  [['./git', '--version']],
  [['GIT', '--version']],
  [['yarn', '--version']],
  [['pytest', '--version']],
  [['poetry', '--version']],
  [['poetry', 'install', '--help']],
  [['cargo', '--version']],
  [['sh', '-c', 'git --version*']],
  [['bash', '--version', 'x']],
  [['xargs', '--version', 'rm']],
])('%j is a call like others', (argv) => {
  const { class: is, needs } = classify(argv);
  expect([is === 'read', needs.length === 0]).toEqual([false, false]);
});

it('is what the configuration says where that is stricter', () => {
  const match = ['docker', '--version'];
  const rule = { match, class: 'destructive', needs: ['destructive'], examples: [], notExamples: [] } as const;
  expect(classify(match, [rule])).toMatchObject({ class: 'destructive', needs: ['destructive'] });
});
