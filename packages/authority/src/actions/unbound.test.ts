import { describe, expect, it } from 'vitest';
import { type Unbound, unboundFiles } from './unbound.ts';

type Command = Unbound['commands'][number];

/** What is said of one command that a rule with this name has judged. */
const said = (line: string, rule = 'reading.plain', more: Partial<Command> = {}): readonly string[] => {
  const command = { argv: line.split(' '), rule, reason: 'nobody knows', class: 'read', ...more } as const;
  return unboundFiles({ commands: [command], folders: [] });
};

describe('what no digest binds', () => {
  it.each(['unknown-program', 'unknown-command', 'undecided', 'system.runs-unseen'])(
    'is whatever a command does of which a rule says %s',
    (rule) => {
      expect(said('/usr/bin/tool x', rule)).toEqual(['`tool`: nobody knows']);
    },
  );

  it('is told also where the command has no name', () => {
    expect(
      unboundFiles({ commands: [{ argv: [], rule: 'undecided', reason: 'r', class: 'read' }], folders: [] }),
    ).toEqual(['it: r']);
    expect(said('', 'undecided')).toEqual(['it: nobody knows']);
  });

  it('is what an interpreter loads, and also what it runs where nobody can say that', () => {
    const loads = 'what `python3` runs may load other files';
    expect(said('/usr/bin/python3 -c x', 'undecided')).toEqual(['`python3`: nobody knows', loads]);
    expect(said('python3 run', 'undecided')).toEqual([loads]);
    expect(said('python3 -c x', 'unknown-program')).toEqual([loads]);
  });

  it.each([
    ['gawk -f x', 'may run commands and load files'],
    ['awk p', 'may run commands'],
    ['SED s/a/b/', 'may run commands and read files'],
    ['gtar -tf x', 'may run programs that its options name'],
    ['sqlite3 x', 'may run commands and load files'],
    ['docker --debug build .', 'may build from files of a folder'],
    ['curl -d name=a@b x', 'may read files that stand behind'],
    ['curl -sK x', 'may read files that stand behind'],
  ])('is what %s is told by beyond its arguments', (line, does) => {
    const [name = ''] = line.split(' ');
    expect(said(`/bin/${line}`)).toEqual([expect.stringMatching(new RegExp(`^\`${name}\` ${does}`))]);
  });

  it.each([
    ['sed -n 1,2p', 'reading.sed-lines'],
    ['awk {print}', 'reading.awk-fields'],
    ['docker ps', 'reading.plain'],
    ['curl -d @body http://h', 'reading.plain'],
    ['sedate x', 'reading.plain'],
    ['cat x', 'reading.plain'],
    ['sed w', 'commands[2]'],
    ['python3 run', 'commands[2]'],
  ])('is nothing of %s under the rule %s', (line, rule) => {
    expect(said(line, rule)).toEqual([]);
  });

  it('is what a variable of the environment makes a program load', () => {
    expect(said('GIT_PAGER=x', 'environment.variable', { reason: 'names a program' })).toEqual([
      '`GIT_PAGER=x` names a program',
    ]);
  });

  it('is what a pattern matches and a folder holds, each once, also under a rule of the owner', () => {
    const command = { argv: ['tool', 'x'], rule: 'commands[0]', reason: '', class: 'read', patterns: ['*.c'] } as const;
    expect(unboundFiles({ commands: [command, command], folders: ['/w/src', '/w/src'] })).toEqual([
      'which files `*.c` matches, and what is in them',
      'what is in the folder `/w/src`',
    ]);
  });
});
