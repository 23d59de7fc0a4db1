import { resolve } from 'node:path';
import { type WritCode, WritError } from '@writ/core';
import type { OperationOutput } from '@writ/gateway/client';
import type { CliContext } from '../context.ts';
import { EXIT, exitCodeOf } from '../exit-codes.ts';
import { endOf, followExecution } from '../follow-execution.ts';
import type { Definitions } from '../program.ts';

interface RunOptions {
  readonly peer: string;
  readonly profile?: string;
  readonly cwd?: string;
  readonly workspace?: string;
  readonly stdin?: boolean;
  readonly wait: boolean;
  readonly exitStatus?: boolean;
  readonly key?: string;
}

/** Most bytes of standard input that go with a command. */
const MOST_STDIN_BYTES = 256 * 1024;

export function defineRun({ program, run }: Definitions): void {
  program
    .command('run')
    .description('run one command on a machine itself: at once where it only reads, else after a person there said yes')
    .option('-p, --peer <label>', 'the peer whose machine it is (`self`: this one)', 'self')
    .option('--profile <name>', 'the profile to ask for (with `self`, absent: the default)')
    .option('--cwd <dir>', 'directory there; absent: with `self` the one that you are in, else `/`')
    .option(
      '-w, --workspace <name>',
      'a workspace there that the profile needs; its directory, unless --cwd says another',
    )
    .option('--stdin', 'send standard input along; it is text, and shown to whoever approves')
    .option('--no-wait', 'print what becomes of it and leave; exit code 4 where it waits for a person')
    .option('--exit-status', "exit with the command's own status")
    .option('--key <key>', 'idempotency key: the same key again is the same execution')
    .argument('<command...>', 'program and arguments, after `--`')
    .passThroughOptions()
    .addHelpText(
      'after',
      '\nexamples:\n  $ writ run --peer beta --profile system-change -- systemctl restart nginx\n  $ writ run -- uptime\n\nCtrl-C ends a command that runs. One that waits for a person goes on waiting:\nwrit execution watch ID, writ execution cancel ID.\n',
    )
    .action(run(runCommand));
}

async function runCommand(context: CliContext, argv: readonly string[], options: RunOptions): Promise<number> {
  const node = context.node();
  const isHere = options.peer === 'self';
  const cwd = options.cwd ?? (isHere && options.workspace === undefined ? '.' : undefined);
  const answer = await node.call('run', {
    to: options.peer,
    argv: [...argv],
    ...(cwd === undefined ? {} : { cwd: isHere ? resolve(cwd) : cwd }),
    ...(options.profile === undefined ? {} : { profile: options.profile }),
    ...(options.workspace === undefined ? {} : { workspace: options.workspace }),
    ...(options.stdin === true ? { stdin: await readStdin(context) } : {}),
    ...(options.key === undefined ? {} : { idempotency_key: options.key }),
  });
  const { command } = answer;
  if (!answer.accepted || command === undefined) return refused(context, answer, options.peer);
  const { output } = context;
  output.item({ kind: 'accepted', ...answer }, () => undefined);
  output.note(output.colors.dim(`execution ${command.execution} at ${options.peer}: ${command.class}`));
  const place = { at: options.peer, ownStatus: options.exitStatus === true };
  if (options.wait) return followExecution(context, node, command.execution, place);
  output.note(`${command.state}: ${command.why}`);
  if (command.state === 'pending_approval') return EXIT.waiting;
  return command.finished ? endOf(command, place.ownStatus) : EXIT.ok;
}

async function readStdin({ streams }: CliContext): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of streams.in) {
    chunks.push(Buffer.from(chunk));
    bytes += chunk.length;
    if (bytes > MOST_STDIN_BYTES) throw unusable(`the standard input exceeds ${MOST_STDIN_BYTES} bytes`);
  }
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(Buffer.concat(chunks));
  } catch {
    throw unusable('the standard input is no text');
  }
}

function unusable(message: string): WritError {
  return new WritError('BAD_REQUEST', message, { nextSteps: ['put it into a file there, and name the file'] });
}

/** Shows who refused, why, and what would help. */
function refused({ output }: CliContext, answer: OperationOutput<'run'>, peer: string): number {
  const { decided } = answer;
  output.item({ kind: 'refused', ...answer }, () => undefined);
  if (decided === undefined) return EXIT.denied;
  output.note(`${output.colors.red('denied')} ${decided.code}: ${decided.message}`);
  output.note(
    `  decided by ${decided.by === 'here' ? 'this node' : peer}, policy generation ${decided.generation ?? 'unknown'}`,
  );
  for (const step of decided.next_steps) output.note(output.step(step));
  return exitCodeOf(decided.code as WritCode) === EXIT.usage ? EXIT.usage : EXIT.denied;
}
