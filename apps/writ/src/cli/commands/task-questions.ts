import { text as readAll } from 'node:stream/consumers';
import { isWritError, quote, readPrivateFile, visible, WritError } from '@writ/core';
import type { OperationInput, OperationOutput } from '@writ/gateway/client';
import { type Command, Option } from 'commander';
import { readPlainFile } from '../../plain-file.ts';
import type { CliContext } from '../context.ts';
import { examples } from '../examples.ts';
import { EXIT } from '../exit-codes.ts';
import type { Definitions } from '../program.ts';

/** Questions of interactive tasks: asked from inside a task, answered where it was handed over. */
export function defineTaskQuestions(task: Command, run: Definitions['run']): void {
  task
    .command('reply')
    .description('answer a question of a task that this node handed over')
    .argument('<task>')
    .argument('[text]', 'the reply; `-` reads it from standard input')
    .option('--question <id>', 'which question, where several are open')
    .option('--file <path>', 'read it from a file; a credential from one of mode 0600 only')
    .option('--credential', 'give a credential: from the terminal, or from --file; never an argument')
    .option('--key <key>', 'repeat it to make a retry safe')
    .addHelpText('after', examples(['writ task reply TASK main', 'writ task reply TASK --question 1.2 --credential']))
    .action(run(reply));
  task
    .command('ask')
    .description('inside a task: ask, and wait for the answers')
    .argument('<text...>', 'a question each')
    .addOption(
      new Option('--kind <kind>', 'what is asked for').choices(['input', 'approval', 'credential']).default('input'),
    )
    .option('--choice <text...>', 'what may be answered')
    .addOption(
      new Option('--previous <fate>', 'what became of the credential given before').choices(['accepted', 'refused']),
    )
    .option('--timeout <duration>', 'how long to wait; absent: as long as the task may run')
    .addHelpText('after', examples(['writ task ask "which branch?" --choice main --choice next']))
    .action(run(ask));
}

interface ReplyOptions {
  readonly question?: string;
  readonly file?: string;
  readonly credential?: boolean;
  readonly key?: string;
}

async function reply(
  context: CliContext,
  [task = '', text]: readonly string[],
  options: ReplyOptions,
): Promise<number> {
  const wish = {
    task,
    ...(options.question === undefined ? {} : { question: options.question }),
    ...(options.key === undefined ? {} : { idempotency_key: options.key }),
  };
  const node = context.node();
  const taken =
    options.credential === true
      ? await node.call('reply_credential', { ...wish, secret: await readSecret(context, options, text) })
      : await node.call('reply', { ...wish, text: await readText(context, options, text) });
  context.output.result(taken, ({ question, state, open }) =>
    open === 0 ? `${question} is answered; the task is ${state}` : `${question} is answered; ${open} open still`,
  );
  return EXIT.ok;
}

async function readText(context: CliContext, { file }: ReplyOptions, text: string | undefined): Promise<string> {
  if ((file === undefined) === (text === undefined)) throw usage('give the reply, or --file');
  if (text === '-') return withoutLineEnd(await readAll(context.streams.in));
  return text ?? withoutLineEnd(readFile(file ?? ''));
}

/** A secret that was typed as an argument is in the list of processes and in the history of a shell. */
async function readSecret(context: CliContext, { file }: ReplyOptions, text: string | undefined): Promise<string> {
  if (text !== undefined) throw usage('a credential is never an argument: name a file of mode 0600 with --file');
  if (file === undefined) return askSecret(context);
  const secret = await readPrivateFile(file);
  if (secret === undefined) throw usage(`there is no file ${quote(file)}`);
  return withoutLineEnd(secret);
}

async function askSecret(context: CliContext): Promise<string> {
  const terminal = openTerminal(context);
  try {
    return await terminal.askSecret('credential: ');
  } finally {
    terminal.close();
  }
}

function openTerminal(context: CliContext): ReturnType<CliContext['terminal']> {
  try {
    return context.terminal();
  } catch (error) {
    if (!isWritError(error, 'NOT_APPROVER')) throw error;
    throw usage('a credential is typed at a terminal, and this process has none: name a file of mode 0600 with --file');
  }
}

function readFile(path: string): string {
  try {
    return readPlainFile(path);
  } catch (cause) {
    throw new WritError('BAD_REQUEST', `${quote(path)} cannot be read: ${(cause as Error).message}`, { cause });
  }
}

function withoutLineEnd(text: string): string {
  return text.replace(/\r?\n$/, '');
}

function usage(message: string): WritError {
  return new WritError('BAD_REQUEST', message, { nextSteps: ['writ task reply --help'] });
}

interface AskOptions {
  readonly kind: string;
  readonly choice?: readonly string[];
  readonly previous?: string;
  readonly timeout?: string;
}

type Question = OperationInput<'ask'>['questions'][number];
type Answer = OperationOutput<'ask'>['answers'][number];

async function ask(context: CliContext, texts: readonly string[], options: AskOptions): Promise<number> {
  const { kind, choice, previous, timeout } = options;
  const more = {
    kind: kind as Question['kind'],
    ...(choice === undefined ? {} : { choices: [...choice] }),
    ...(previous === undefined ? {} : { previous: previous as 'accepted' | 'refused' }),
  };
  const questions = texts.map((text): Question => ({ text, ...more }));
  const { signal } = context;
  const asked = await context
    .node()
    .call('ask', { questions, ...(timeout === undefined ? {} : { timeout }) }, { signal });
  context.output.result(asked, ({ answers }) => answers.map(shown).join('\n'));
  if (asked.answers.some(({ state }) => state === 'expired')) return EXIT.timedOut;
  return asked.answers.every(({ state }) => state === 'answered' || state === 'approved') ? EXIT.ok : EXIT.denied;
}

/** Exactly what was answered, for a program to read; else what became of the question. */
function shown({ text, state, message }: Answer): string {
  return text ?? (message === undefined ? state : `${state}: ${visible(message)}`);
}
