import { expect, it } from 'vitest';
import { testGrammar } from '../testing/shell-grammar.ts';
import { changesCovered } from './alone.ts';
import { createCommandClassifier } from './classify.ts';

const classifier = createCommandClassifier({ grammar: await testGrammar() });
const classify = (text: string) => classifier.classify(text.split(' '), { host: 'self', cwd: '/w', workspace: '/w' });

it.each([
  ...['4777 a', '4755 a', '02755 a', '1755 a', '777 .', '666 a', '0646 a', '-R 777 a', '7 a', 'u+s a', 'g+s a', '+t a'],
  ...[
    'a+rwxs a',
    'u=rwxs a',
    'o+w a',
    'a+w a',
    'a=rwx a',
    'ugo+w a',
    'o=u a',
    'o+g a',
    'u+x,o+w a',
    '=4755 a',
    '+4000 a',
  ],
  ...['--reference=b a', '--mode 644 a', '-- 4755 a', 'a', '-v 4777 a', '=rw a', 'g=u,o=g a'],
])('chmod %s lets others run or write it, or nobody knows', (words) => {
  expect(classify(`chmod ${words}`)).toMatchObject({
    class: 'destructive',
    needs: expect.arrayContaining(['destructive']),
  });
});

it.each([
  ...[
    '644 a',
    '0755 a',
    '-R 750 a b',
    '+x a',
    'u+x,go-w a',
    'a+rX a',
    '-x a',
    'o-w a',
    'a-s a',
    'g+w a',
    '-v 600 a',
    '600 -R a',
  ],
])('chmod %s changes a mode, and no window covers it', (words) => {
  const classification = classify(`chmod ${words}`);
  expect(classification.class).toBe('config-mutation');
  expect(changesCovered(classification, ['chmod', ...words.split(' ')], '/w')).toBeUndefined();
});

it.each([
  ['mkdir -m 1777 a', 'destructive'],
  ['mkdir -pm 777 a', 'destructive'],
  ['mkdir --mode=o+w a', 'destructive'],
  ['mkdir -m 700 a', 'config-mutation'],
  ['setcap cap_setuid+ep a', 'destructive'],
  ['chown nobody a', 'config-mutation'],
  ['chgrp users a', 'config-mutation'],
  ['chattr +i a', 'config-mutation'],
  ['setfacl -m u:x:rwx a', 'config-mutation'],
])('%s is %s, and no window covers it', (text, is) => {
  const classification = classify(text);
  expect(classification.class).toBe(is);
  expect(changesCovered(classification, text.split(' '), '/w')).toBeUndefined();
});

it.each(['chown nobody a', 'chgrp users a', 'chattr +i a', 'setfacl -m u:x:rwx a'])('%s edits the system', (text) => {
  expect(classify(text).needs).toEqual(['edit_system']);
});

it.each([
  ...[
    'cp a d',
    'cp -r tree/. d',
    'cp a /etc/x',
    'mv a d',
    'mv d d',
    'ln -sf a b',
    'ln -s a',
    'install a b',
    'cp -T a b',
  ],
  ...['rsync -a a d', 'tar -xf a.tar', 'unzip a.zip', 'rmdir -p a/b'],
])('%s has no target: where it writes is decided by links of a folder', (text) => {
  expect(classifier.classify(text.split(' '), { host: 'self', cwd: '/w' })).not.toHaveProperty('target');
});
