import { describe, expect, it } from 'vitest';
import { runsRelative, scriptOperand } from './script-operand.ts';

const of = (line: string, program?: string) => {
  const operand = scriptOperand(line.split(' '), program);
  switch (operand.kind) {
    case 'none':
      return 'none';
    case 'file':
      return [operand.at, ...operand.code.map(({ text, isModule }) => (isModule ? `module:${text}` : text))].join(' ');
    case 'unclear':
      return `unclear: ${/`([^`]+)`[^`]*$/.exec(operand.message)?.[1]}`;
  }
};

describe('the argument that runs', () => {
  it.each<[string, string]>([
    // The first operand, behind flags, in one word or in several.
    ['bash run', '1'],
    ['/bin/bash run a b', '1'],
    ['bash -x -e run', '3'],
    ['bash -xe run', '2'],
    ['bash +x run', '2'],
    ['bash --norc --posix run', '3'],
    ['bash --norc run', '2'],
    ['bash - run', '2'],
    ['bash -', 'none'],
    ['bash -- run', '2'],
    ['bash -x -- -run', '3'],
    ['bash', 'none'],
    ['bash -x', 'none'],
    ['bash --', 'none'],
    // A value of its own, or the rest of the word.
    ['bash -o pipefail run', '3'],
    ['bash -opipefail run', '2'],
    ['bash -xo pipefail run', '3'],
    ['bash -O extglob run', '3'],
    ['python3 -W error run', '3'],
    ['python3 -Werror run', '2'],
    ['python3 -uW error run', '3'],
    ['php -d a=b run', 'unclear: -d'],
    ['lua -e x=1 run', '3'],
    ['node -C dev run', '3'],
    ['node --conditions dev run', '3'],
    ['node --conditions=dev run', '2'],
    // The rest of the word alone.
    ['perl -0777 run', '2'],
    ['perl -i.bak run', '2'],
    ['ruby -W0 run', '2'],
    // A text that runs.
    ['sh -c text run', 'none'],
    ['sh -ec text', 'none'],
    ['bash -s run', 'none'],
    ['python3 -c text run', 'none'],
    ['python3 -c text -m module', 'none'],
    ['node -e text run', 'none'],
    ['node -pe text', 'none'],
    ['node --eval text', 'none'],
    ['node --eval=text', 'none'],
    ['node --print=text', 'none'],
    ['perl -e text', 'none'],
    ['perl -pe text', 'none'],
    ['perl -etext', 'none'],
    ['ruby -e text', 'none'],
    ['php -r text', 'none'],
    // Files besides.
    ['node -r ./hook run', '3 module:./hook'],
    ['node -r./hook run', '2 module:./hook'],
    ['node --require ./hook run', '3 module:./hook'],
    ['node --import=./hook run', '2 module:./hook'],
    ['node --env-file .env -r ./hook run', '5 .env module:./hook'],
    ['node -r ./hook', '-1 module:./hook'],
    ['node -r ./hook -e text', '-1 module:./hook'],
    ['node --require', '-1 module:'],
    ['ruby -rhook run', '2 module:hook'],
    ['node -e text -r ./hook', '-1 module:./hook'],
    ['node -pe text -r ./hook', '-1 module:./hook'],
    ['node -e1 -r ./hook', '-1 module:./hook'],
    ['node -pa1 -r ./hook', '-1 module:./hook'],
    // What is not known.
    ['bash --rcfile x run', 'unclear: --rcfile'],
    ['bash -Q run', 'unclear: -Q'],
    ['bash -xQ run', 'unclear: -Q'],
    ['bash -QZ run', 'unclear: -Q'],
    ['python3 -m module', 'unclear: -m'],
    ['node --test', 'unclear: --test'],
    ['node --test=x run', 'unclear: --test'],
    ['node --stack-size=64 run', '2'],
    ['node --stack-size=64k run', 'unclear: --stack-size'],
    ['node --eval=text run', 'none'],
    ['node --no-warnings=1 run', '2'],
    ['bash - - run', '2'],
    ['. run', '1'],
    ['source ./run', '1'],
    ['perl -Mstrict run', '2'],
    ['perl -MEvil run', 'unclear: -M'],
    ['node --constructor run', 'unclear: --constructor'],
    ['node --toString=x run', 'unclear: --toString'],
    // Languages by their names, with or without a number, and nothing else.
    ['python run', '1'],
    ['python3.12 run', '1'],
    ['pypy3 run', '1'],
    ['nodejs run', '1'],
    ['perl5.36 run', '1'],
    ['ruby3.1 run', '1'],
    ['php8.2 run', '1'],
    ['luajit run', '1'],
    ['lua5.4 run', '1'],
    ...['ash', 'dash', 'zsh', 'ksh', 'mksh', 'sh'].map((name): [string, string] => [`${name} run`, '1']),
    ['fish run', 'none'],
    ['bash2 run', 'none'],
    ['xnode run', 'none'],
    ['node2 run', 'none'],
    ['tool run', 'none'],
    // A command in one text.
    ['env -S bash', 'unclear: env -S'],
    ['env -iS bash', 'unclear: env -S'],
    ['env --split-string=bash', 'unclear: env -S'],
    ['env -u S -S bash', 'unclear: env -S'],
    ['env --unset S -S bash', 'unclear: env -S'],
    ['env -C /tmp -S bash', 'unclear: env -S'],
    ['env --chdir /tmp -S bash', 'unclear: env -S'],
    ['env -i bash -S', 'none'],
    ['env A=1 -S bash', 'none'],
    ['env -u -S bash', 'none'],
    ['env -iu -S bash', 'none'],
    ['env -uA -S bash', 'unclear: env -S'],
    ['env --unset=A -S bash', 'unclear: env -S'],
    ['env bash run', 'none'],
    ['env', 'none'],
    ['env --ignore-environment', 'none'],
  ])('of `%s` is %s', (line, expected) => {
    expect(of(line)).toBe(expected);
  });

  it('is read as the program reads it that the name leads to', () => {
    expect([of('sh -m run', '/usr/bin/python3'), of('tool run', '/usr/bin/node'), of('bash run', '/bin/true')]).toEqual(
      [...['unclear: -m', '1', 'none']],
    );
    expect(scriptOperand([])).toEqual({ kind: 'none' });
  });

  it('is told to be named, where nobody can say which it is', () => {
    expect(scriptOperand(['bash', '-Q', 'run'])).toEqual({
      ...{ kind: 'unclear', message: 'which file `bash` runs cannot be told behind its option `-Q`' },
      nextStep: 'leave the option out, and name the file that runs',
    });
    expect(scriptOperand(['env', '-S', 'bash'])).toEqual({
      ...{ kind: 'unclear', message: 'a command in one text behind `env -S` cannot be told' },
      nextStep: 'write its words as arguments of their own',
    });
  });
});

describe('whether it depends on the folder which file runs', () => {
  it.each<[string, boolean]>([
    ['./run', true],
    ['sub/run', true],
    ['/bin/run', false],
    ['run', false],
    ['bash run', true],
    ['bash /run', false],
    ['bash -c run', false],
    ['bash -Q run', false],
    ['node -r hook /run', true],
    ['node -r /hook /run', false],
    ['node -r hook', true],
    ['node -r /hook', false],
    ['', false],
    ['< run', true],
    ['< /run', false],
    ['make', true],
    ['/usr/bin/make', true],
    ['node --env-file .env /run', true],
  ])('`%s`: %s', (line, expected) => {
    expect(runsRelative(line.split(' '))).toBe(expected);
  });
});
