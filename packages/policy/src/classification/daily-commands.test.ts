import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { testGrammar } from '../testing/shell-grammar.ts';
import { createCommandClassifier } from './classify.ts';

/** One line of the file, which says how its lines are written. */
interface Daily {
  readonly line: string;
  readonly isDangerous: boolean;
  readonly class: string;
  readonly needs: readonly string[];
  readonly target?: string;
  readonly argv: readonly string[];
}

const LINE = /^(?<danger>! )?(?<of>[rcd]) (?<needs>\S+)(?: @(?<target>\S+))? \$ (?<command>.+)$/;
const CLASSES: Readonly<Record<string, string>> = { r: 'read', c: 'config-mutation', d: 'destructive' };

function readLine(line: string): Daily {
  const { danger, of = '', needs = '', target, command = '' } = LINE.exec(line)?.groups ?? {};
  if (command === '') throw new Error(`no line of a command: ${line}`);
  const argv = [...command.matchAll(/'([^']*)'|\S+/g)].map(([whole, quoted]) => quoted ?? whole);
  const about = { line, argv, isDangerous: danger !== undefined, class: CLASSES[of] ?? '' };
  return { ...about, needs: needs === '-' ? [] : needs.split(','), ...(target === undefined ? {} : { target }) };
}

const text = readFileSync(new URL('../../cases/daily-commands.txt', import.meta.url), 'utf8');
const DAILY = text
  .split('\n')
  .filter((line) => line !== '' && !line.startsWith('#'))
  .map(readLine);
const classifier = createCommandClassifier({ grammar: await testGrammar() });
const nameOf = ({ argv }: Daily): string => (argv[0] ?? '').replace(/^\.\//, '');

describe('a command of every day', () => {
  it.each(DAILY.map((one) => [one.line, one] as const))('%s', (_, { argv, class: is, needs, target }) => {
    const found = classifier.classify(argv, { host: 'self', cwd: '/w', workspace: '/w' });
    const got = { class: found.class, needs: found.needs, target: found.target };
    expect(got).toEqual({ class: is, needs: [...needs].sort(), target });
  });
});

describe('the list of them', () => {
  it('holds every command once, and enough of them', () => {
    const commands = DAILY.map(({ argv }) => JSON.stringify(argv));
    expect(commands.filter((one, at) => commands.indexOf(one) !== at)).toEqual([]);
    expect(commands.length).toBeGreaterThan(600);
  });

  it('has a dangerous neighbour of each program, stricter or in need of more than the mildest of its calls', () => {
    const programs = [...new Set(DAILY.map(nameOf))];
    const alone = programs.filter((name) => {
      const calls = DAILY.filter((one) => nameOf(one) === name);
      const mild = calls.filter(({ isDangerous }) => !isDangerous);
      return !calls.some(
        (one) =>
          one.isDangerous &&
          (mild.length === 0 ||
            mild.some((other) => other.class !== one.class || one.needs.some((need) => !other.needs.includes(need)))),
      );
    });
    expect(alone).toEqual([]);
  });
});
