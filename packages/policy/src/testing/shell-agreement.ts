import { deepEqual, ok } from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import type { Argument, ShellGrammar } from '../classification/types.ts';

/** What a run came to: scripts that were made up, and how many of them the grammar read and a shell ran. */
export interface AgreementReport {
  readonly scripts: number;
  readonly ran: number;
}

/** Programs that exist for the shells here; each prints the arguments it got. */
const PROGRAMS = ['p', 'q', 'r'] as const;
/** Ends one call in what the programs print, in one piece: others may print at the same time. Arguments end with NUL. */
const CALL_ENDS = '\x01\0';

/** Scripts in which `q x` is text and no command, each in another way; a few edits later it may be one. */
const SEEDS = [
  ...[
    "p 'q x'",
    'p "q x"',
    'p a # q x',
    'p a "b;q x;c"',
    "p a ';q x;' b",
    'p q x',
    'p \\"q x\\"',
    'p a\\;q\\ x',
    'p a\\|q x',
  ],
  ...[
    'p a\\\n q x',
    'p a \\\n q x',
    'p; # q x\nr',
    '# q x\np',
    'p && # q x\nr',
    'p a#; q x',
    "p 'a' 'b;q x'",
    'p a\'b\'"c;q x"',
  ],
  ...[
    "p <<'E'\nq x\nE",
    'p <<E\nq x\nE\n',
    'p <<-E\n\tq x\n\tE\n',
    "p <<-'E'\n\tq x\n\tE\nr",
    'p <<\\E\nq x\nE',
    'p <<E <<F\nq x\nE\na\nF',
  ],
  ...[
    "p <<< 'q x'",
    'p <<< "q x"',
    "p >'q x'",
    'p {q,x}',
    "A=b p 'q x'",
    "A='q x' p",
    "! p 'q x'",
    "p && r 'q x'",
    "p | r 'q x'",
  ],
  ...[
    "if p; then r 'q x'; fi",
    "{ p 'q x'; }",
    "(p 'q x')",
    "while ! p; do r 'q x'; done",
    "p 2>&1 'q x'",
    "p 'a`q x`'",
    "p 'a$(q x)'",
  ],
] as const;
/** What ends words, hides or runs something in one reading and not in another. */
const ODD = [
  ...[
    "'",
    '"',
    '\\',
    '\n',
    ' ',
    '\t',
    '#',
    ';',
    '&',
    '|',
    '(',
    ')',
    '{',
    '}',
    '<',
    '>',
    '$',
    '`',
    '!',
    '=',
    '*',
    '[',
    ']',
    '~',
    '^',
    '%',
  ],
  ...[
    '\v',
    '\f',
    '\r',
    '\x07',
    '\x1b',
    '\x7f',
    '\u0085',
    '\u00a0',
    '\u2003',
    '\u2028',
    '\u3000',
    '\ufeff',
    '\u00e9',
    '\u{1f600}',
  ],
  ...[
    '\\\n',
    '\\\t',
    '\\ ',
    "''",
    '""',
    "$'",
    '$"',
    '$(',
    '${',
    '$((',
    '))',
    '<(',
    '<<',
    '<<-',
    '>&',
    '&>',
    '|&',
    ';;',
    'E',
    'a',
    '-',
    ',',
  ],
] as const;

const edit = fc.record({
  at: fc.double({ min: 0, max: 1, noNaN: true }),
  removed: fc.constantFrom(0, 0, 0, 1),
  put: fc.oneof({ arbitrary: fc.constantFrom(...ODD), weight: 4 }, { arbitrary: fc.constant(''), weight: 1 }),
});
const script = fc
  .tuple(fc.constantFrom(...SEEDS), fc.array(edit, { minLength: 1, maxLength: 4 }))
  .map(([seed, edits]) =>
    edits.reduce((text, { at, removed, put }) => {
      const place = Math.floor(at * (text.length + 1));
      return text.slice(0, place) + put + text.slice(place + removed);
    }, seed as string),
  );

/** How each shell is started on a script, by its path: the scripts find three programs and no shell. */
const SHELLS: readonly (readonly string[])[] = [
  ['/bin/bash', '--norc', '--noprofile', '-c'],
  ['/bin/sh', '-c'],
];

/**
 * Whatever script the grammar reads, a shell runs no other command than the grammar saw, and writes no file that it did
 * not see. Real shells run made-up scripts in an empty folder, where three programs exist.
 */
export function proveShellAgreement(grammar: ShellGrammar, scripts: number, seed: number): AgreementReport {
  const room = mkdtempSync(join(tmpdir(), 'writ-shells-'));
  let ran = 0;
  try {
    furnish(room);
    // Where no shell runs, or nothing of what it runs is seen, every script would do.
    for (const shell of SHELLS)
      deepEqual(run(room, shell, "p 'a b' >o; q"), { calls: [['p', 'a b'], ['q']], written: ['o'] });
    const one = fc.property(script, (text) => {
      const read = grammar.parse(text);
      if (!read.ok) return;
      ran++;
      for (const shell of SHELLS) check(read, run(room, shell, text), `${shell[0]}: ${JSON.stringify(text)}`);
    });
    fc.assert(one, { numRuns: scripts, seed });
  } finally {
    rmSync(room, { recursive: true, force: true, maxRetries: 5 });
  }
  ok(ran > 0, 'no script was read');
  return { scripts, ran };
}

function furnish(room: string): void {
  const programs = join(room, 'programs');
  mkdirSync(programs);
  for (const name of PROGRAMS) {
    const path = join(programs, name);
    writeFileSync(path, `#!/bin/sh\nprintf '%s\\0' ${name} "$@" '\x01' >&9\n`);
    chmodSync(path, 0o755);
  }
}

interface Ran {
  readonly calls: readonly (readonly string[])[];
  readonly written: readonly string[];
}

function run(room: string, [shell = '', ...options]: readonly string[], text: string): Ran {
  const folder = mkdtempSync(join(room, 'in-'));
  const result = spawnSync(shell, [...options, text], {
    cwd: folder,
    env: { PATH: join(room, 'programs') },
    stdio: ['ignore', 'ignore', 'ignore', 'ignore', 'ignore', 'ignore', 'ignore', 'ignore', 'ignore', 'pipe'],
    timeout: 2000,
    killSignal: 'SIGKILL',
  });
  if (result.error !== undefined) throw result.error;
  const printed = result.output?.[9]?.toString() ?? '';
  const written = readdirSync(folder);
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  const calls = printed
    .split(CALL_ENDS)
    .slice(0, -1)
    .map((call) => call.split('\0').slice(0, -1));
  return { calls, written };
}

function check(read: { readonly commands: readonly Seen[] }, { calls, written }: Ran, where: string): void {
  for (const call of calls) {
    ok(
      read.commands.some((command) => isCall(command.arguments, call)),
      `${where} ran ${JSON.stringify(call)}, which was not read`,
    );
  }
  const known = read.commands.flatMap(({ redirects }) => redirects.map(({ to }) => to));
  const unseen = written.filter((name) => !known.some((to) => fits(to, name)));
  deepEqual(unseen, [], `${where} wrote files that were not read`);
}

interface Seen {
  readonly arguments: readonly Argument[];
  readonly redirects: readonly { readonly to: Argument }[];
}

/** A word that may become several is as many as it takes. */
function isCall(read: readonly Argument[], call: readonly string[]): boolean {
  if (!fits(read[0], call[0])) return false;
  const literal = read.filter(({ shape }) => shape === 'literal');
  if (literal.length < read.length) return literal.every(({ text }) => call.includes(text));
  return isDeepStrictEqual(
    read.map(({ text }) => text),
    call,
  );
}

function fits(argument: Argument | undefined, text: string | undefined): boolean {
  return argument !== undefined && (argument.shape !== 'literal' || argument.text === text);
}
