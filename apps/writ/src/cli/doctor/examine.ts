import { isWritError } from '@writ/core';
import type { CliContext } from '../context.ts';
import { lookAtClients } from './clients.ts';
import { lookAtHome } from './home.ts';
import { lookAtMachine } from './machine.ts';
import { lookAtNode } from './node.ts';
import { lookAtRunners } from './runners.ts';
import { lookAtService } from './service.ts';
import type { Finding, Look, Patient } from './types.ts';

/** Every look, in the order in which things are mended. */
const LOOKS: readonly Look[] = [lookAtMachine, lookAtHome, lookAtNode, lookAtRunners, lookAtService, lookAtClients];

/** Looks at everything, and changes nothing. */
export async function examine(context: CliContext): Promise<readonly Finding[]> {
  const patient = { context, ...(await statusOf(context)) };
  const found: Finding[] = [];
  for (const look of LOOKS) found.push(...(await look(patient)));
  return found;
}

async function statusOf(context: CliContext): Promise<Pick<Patient, 'status' | 'unanswered'>> {
  try {
    return { status: await context.node().call('node_status', {}) };
  } catch (error) {
    if (isWritError(error)) return { status: undefined, unanswered: error };
    throw error;
  }
}
