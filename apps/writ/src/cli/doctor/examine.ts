import { toWritError } from '@writ/core';
import { isForeignHome } from '../../lifecycle/home-owner.ts';
import { exposuresOf } from '../../lifecycle/private-home.ts';
import type { CliContext } from '../context.ts';
import { lookAtClients } from './clients.ts';
import { lookAtCopies } from './copies.ts';
import { lookAtHome } from './home.ts';
import { lookAtMachine } from './machine.ts';
import { lookAtNode } from './node.ts';
import { lookAtRunners } from './runners.ts';
import { lookAtService } from './service.ts';
import { asProblem, type Finding, type Look, type Patient } from './types.ts';

/** Every look, in the order in which things are mended. */
const LOOKS: readonly (readonly [string, Look])[] = [
  ['machine', lookAtMachine],
  ['home', lookAtHome],
  ['copies', lookAtCopies],
  ['node', lookAtNode],
  ['runners', lookAtRunners],
  ['service', lookAtService],
  ['mcp', lookAtClients],
];

/** Looks at everything, and changes nothing. What ends one look is what it found, and the others go on. */
export async function examine(context: CliContext): Promise<readonly Finding[]> {
  const patient = { context, ...(await statusOf(context)) };
  const [first] = exposuresOf(context.home, process.geteuid?.());
  // Of another user's node nothing is right for this one.
  if (first !== undefined && isForeignHome(first)) return [...(await lookAtMachine(patient)), asProblem('home', first)];
  const found: Finding[] = [];
  for (const [check, look] of LOOKS) {
    found.push(...(await look(patient).catch((error: unknown) => [asProblem(check, error)])));
  }
  return found;
}

async function statusOf(context: CliContext): Promise<Pick<Patient, 'status' | 'unanswered'>> {
  try {
    return { status: await context.node().call('node_status', {}) };
  } catch (error) {
    return { status: undefined, unanswered: toWritError(error) };
  }
}
