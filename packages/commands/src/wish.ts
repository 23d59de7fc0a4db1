import { digestJson, type Json, quote, WritError } from '@writ/core';
import type { CommandSpec, CommandStep, PlanSpec, Wish } from './types.ts';

const MOST_ARGUMENTS = 1024;
/** Most bytes of an argument list; the largest preview is smaller still. */
const MOST_ARGV_BYTES = 512 * 1024;
const MOST_STDIN_BYTES = 256 * 1024;
const MOST_STEPS = 32;
const LONGEST_TITLE = 200;
const LONGEST_PATH = 4096;

/** Throws BAD_REQUEST for what no node could run, whoever asks for it. */
export function checkWish(wish: Wish): void {
  const { steps } = partsOf(wish);
  if (wish.kind === 'plan') checkTitle(wish.plan.title);
  if (steps.length === 0) throw unusable('a plan has no steps', 'name what it would run');
  if (steps.length > MOST_STEPS) throw unusable(`a plan has ${MOST_STEPS} steps at most`, 'make several plans');
  for (const step of steps) checkStep(step);
}

/** What a wish says besides what runs, and what runs. */
export function partsOf(wish: Wish): {
  readonly steps: readonly CommandStep[];
  readonly profile?: string;
  readonly workspace?: string;
} {
  const { profile, workspace } = wish.kind === 'command' ? wish.command : wish.plan;
  const steps = wish.kind === 'command' ? [wish.command] : wish.plan.steps;
  return { steps, ...(profile === undefined ? {} : { profile }), ...(workspace === undefined ? {} : { workspace }) };
}

/** What a writ for a wish is bound to: it says what it is, so that none for a task is one for a command. */
export type BoundWish =
  | ({ readonly is: 'gated command 1' } & CommandSpec)
  | ({ readonly is: 'gated plan 1' } & PlanSpec);

export function boundWish(wish: Wish): BoundWish {
  return wish.kind === 'command' ? { is: 'gated command 1', ...wish.command } : { is: 'gated plan 1', ...wish.plan };
}

/** SHA-256 of a wish, hex. INVARIANT: 1 a writ is authority for the one wish that it was made for. */
export function wishDigest(wish: Wish): string {
  return digestJson(JSON.parse(JSON.stringify(boundWish(wish))) as Json);
}

function checkTitle(title: string): void {
  if (title.trim() === '' || title.length > LONGEST_TITLE) {
    throw unusable(`the title of a plan has 1 to ${LONGEST_TITLE} characters`, 'say in a few words what it is for');
  }
}

function checkStep({ argv, cwd, stdin }: CommandStep): void {
  if (argv.length === 0 || argv[0] === '') throw unusable('there is no command', 'name a program');
  if (argv.length > MOST_ARGUMENTS) throw unusable(`there are more than ${MOST_ARGUMENTS} arguments`, 'name fewer');
  if (argv.some((argument) => argument.includes('\0'))) throw unusable('an argument holds a NUL', 'leave it out');
  if (argv.reduce((sum, argument) => sum + Buffer.byteLength(argument), 0) > MOST_ARGV_BYTES) {
    throw unusable(`the arguments exceed ${MOST_ARGV_BYTES} bytes`, 'put what is large into a file');
  }
  if (cwd !== undefined) {
    if (!cwd.startsWith('/') || cwd.includes('\0') || cwd.length > LONGEST_PATH) {
      throw unusable(`${quote(cwd)} is no absolute path`, 'name a directory of the executing node');
    }
  }
  if (stdin === undefined) return;
  const bytes = Buffer.from(stdin, 'base64');
  if (bytes.toString('base64') !== stdin) throw unusable('the standard input is not in base64', 'encode it');
  if (bytes.length > MOST_STDIN_BYTES) {
    throw unusable(`the standard input exceeds ${MOST_STDIN_BYTES} bytes`, 'put it into a file of the executing node');
  }
}

function unusable(message: string, nextStep: string): WritError {
  return new WritError('BAD_REQUEST', message, { nextSteps: [nextStep] });
}
