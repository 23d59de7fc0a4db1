import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Command } from 'commander';
import { describe, expect, it } from 'vitest';
import { defineCommands } from './commands/index.ts';
import { createProgram } from './program.ts';

const ROOT = fileURLToPath(new URL('../../../../', import.meta.url));

/** Words that follow the noun: a writ is also the credential of a hop, and the name of the product. */
const OF_THE_NOUN = /^(allows|as|command|counts|does|for|from|has|in|is|leads|may|must|of|on|than|that|was)$/;

/** What signatures and hashes begin with, so that one is never taken for another. */
const SIGNED_CONTEXT =
  /^(action|approver change|approver decision|approver id|clock acceptance|identity words|invite code|lease|lease renewal|pairing proof|pairing words|peer admission|policy widening)$/;

function sources(folder: string): readonly string[] {
  return readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((path) => /\.ts$/.test(path) && !/(\.test\.ts$|^testing\/|\/testing\/)/.test(path))
    .map((path) => join(folder, path));
}

/** Source folders of every package, and of the program itself. */
function folders(): readonly string[] {
  return [...readdirSync(join(ROOT, 'packages')).map((name) => `packages/${name}/src`), 'apps/writ/src'];
}

/** String literals of a source text, comments left out. */
function literals(source: string): readonly string[] {
  const tokens = /\/\*[\s\S]*?\*\/|\/\/[^\n]*|'((?:[^'\\\n]|\\.)*)'|"((?:[^"\\\n]|\\.)*)"|`((?:[^`\\]|\\.)*)`/g;
  return [...source.matchAll(tokens)].flatMap(([, single, double, template]) => single ?? double ?? template ?? []);
}

/** `policy reload` for `… run: writ policy reload --accept`; the words after `writ` that could be a command. */
function named(literal: string): readonly string[] {
  const calls = literal.matchAll(/(?<![\w/.-])writ ([a-z][a-z-]*)(?: ([a-z][a-z-]*))?/g);
  return [...calls].flatMap(([, first = '', second]) => {
    if (OF_THE_NOUN.test(first)) return [];
    const words = second === undefined ? first : `${first} ${second}`;
    return SIGNED_CONTEXT.test(words) ? [] : [words];
  });
}

function exists(program: Command, words: string): boolean {
  const [first, second] = words.split(' ');
  const command = program.commands.find((child) => child.name() === first);
  if (!command || command.commands.length === 0) return command !== undefined;
  return command.commands.some((child) => child.name() === second);
}

describe('a command that a text names', () => {
  const program = createProgram('0');
  defineCommands({ program, run: () => async () => undefined });

  it.each(folders())('exists in the program: %s', (folder) => {
    const wrong = sources(folder).flatMap((path) =>
      literals(readFileSync(join(ROOT, path), 'utf8'))
        .flatMap(named)
        .filter((words) => !exists(program, words))
        .map((words) => `${path}: writ ${words}`),
    );
    expect(wrong).toEqual([]);
  });

  it('is found where it stands among other words, and told from the credential', () => {
    expect(literals("// 'no'\nconst a = `b`; /* 'd' */ f('e', \"g\")")).toEqual(['b', 'e', 'g']);
    expect(named('set it and run: writ policy reload --accept, or writ up')).toEqual(['policy reload', 'up']);
    expect(named('the writ of hop 2 is for another, ~/bin/writ up')).toEqual([]);
    expect(exists(program, 'policy reload')).toBe(true);
    expect(exists(program, 'up then')).toBe(true);
    for (const words of ['approval swap', 'policy', 'policy swap']) expect(exists(program, words)).toBe(false);
  });
});
