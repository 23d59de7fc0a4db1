import { type ChildProcess, fork, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MODES_COUNT } from '../../../../../test/support/modes-count.ts';
import { HOME_FAULTS, pathsIn } from './faults.ts';
import { lookAndStart, makeNode, type Seen } from './start.ts';

/**
 * `node scripts/run-ts.mjs apps/writ/src/testing/home-faults/main.ts [STRIDE]`: every file and folder of a home, each wrong in every way (or
 * every STRIDEth of these), and what `writ doctor` and a node that starts say of it. Writes what does not fit together, one a line, and how much was looked at.
 * Who looks is one for whom the modes of files count, even where that is root.
 */
type Question = { readonly make: string } | { readonly look: string };

const UID = process.geteuid?.() ?? 0;

if (process.send === undefined) await compareAll();
else process.on('message', (question: Question) => void answer(question).then((said) => process.send?.(said)));

async function answer(question: Question): Promise<Seen | Record<string, never>> {
  if ('look' in question) return lookAndStart(question.look);
  await makeNode(question.make);
  return {};
}

async function compareAll(): Promise<void> {
  const program = process.argv[1] ?? '';
  const root = mkdtempSync(join(tmpdir(), 'writ-faults-'));
  const [execPath = '', ...execArgv] = [...MODES_COUNT, process.execPath];
  const looker = fork(program, [], { execPath, execArgv, cwd: '/', stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  const ended = once(looker, 'exit');
  try {
    await compareIn(root, Number(process.argv[2] ?? 1), (question) => ask(looker, question));
  } finally {
    looker.kill('SIGKILL');
    await ended;
    rmSync(root, { recursive: true, force: true });
  }
}

async function ask(looker: ChildProcess, question: Question): Promise<Seen> {
  const over = new AbortController();
  const { signal } = over;
  const answered = once(looker, 'message', { signal });
  const ended = once(looker, 'exit', { signal }).then(() => Promise.reject(new Error('who looks has ended')));
  looker.send(question);
  try {
    const [seen] = (await Promise.race([answered, ended])) as [Seen];
    return seen;
  } finally {
    over.abort();
    await Promise.allSettled([answered, ended]);
  }
}

async function compareIn(root: string, stride: number, looker: (question: Question) => Promise<Seen>): Promise<void> {
  const [well, user, aside] = ['well', 'user', 'aside'].map((name) => join(root, name)) as [string, string, string];
  fresh(well);
  await looker({ make: well });
  let looks = 0;
  const all = pathsIn(well).flatMap((path) => HOME_FAULTS.map((fault) => ({ path, fault })));
  for (const { path, fault } of all.filter((_, index) => index % stride === 0)) {
    if (fault.needsRoot === true && UID !== 0) continue;
    fresh(aside);
    rmSync(user, { recursive: true, force: true });
    spawnSync('cp', ['-a', well, user]);
    if (!fault.make(join(user, path), { aside })) continue;
    looks += 1;
    const odd = oddities(await looker({ look: user }));
    if (odd.length > 0) process.stdout.write(`${path} ${fault.name}: ${odd.join('; ')}\n`);
  }
  process.stdout.write(`${looks} faults\n`);
}

/** An empty folder in the place of what is there. */
function fresh(folder: string): void {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { mode: 0o700 });
}

/** What is not so that should be: both say the same, and what to do. */
function oddities({ problems, refusal }: Seen): readonly string[] {
  const told = problems.map(({ says }) => says).join(' / ');
  if (refusal === undefined) return problems.length === 0 ? [] : [`a node starts, and doctor says: ${told}`];
  // Each mistake of a configuration is told by a command of its own.
  const isConfig = refusal.code === 'CONFIG_INVALID' && problems.some(({ check }) => check === 'configuration');
  return [
    ...(isConfig || problems.some(({ says }) => says === refusal.message)
      ? []
      : [`up: ${refusal.message}, doctor: ${told}`]),
    ...(refusal.code === 'INTERNAL' ? ['INTERNAL'] : []),
    ...(refusal.nextSteps.length === 0 || problems.some(({ mend }) => mend.length === 0) ? ['no next step'] : []),
  ];
}
