import type { Execution } from '@writ/lease-store';
import { meetNetworks, type Network } from '@writ/policy';
import { readRequest } from '../actions/stored-request.ts';
import type { ActionRequest } from '../actions/types.ts';
import type { Refusal } from '../record-types.ts';
import type { GrantedRights, Rights } from './types.ts';

/**
 * Why what is granted now is not what was shown with a command that has not started; undefined: it is.
 * INVARIANT: 2, 5 the runner, network and isolation that it starts under are those of its digest and of this generation.
 */
export function unlikeShown(rights: Rights, { request }: Pick<Execution, 'request'>): Refusal | undefined {
  if (!rights.granted) return rights.refusal;
  const shown = readRequest(request);
  if (shown === undefined) return changed('what was asked for cannot be read any more');
  if (dropsIsolation(rights, shown)) return ISOLATION;
  const { runner, network, isolation } = rights;
  if (runner !== shown.runner) return changed(`the runner is ${runner} now, not ${shown.runner}`);
  if (!isSame(network, shown.network)) return changed('the network that its profile reaches is another one now');
  return isolation === shown.isolation ? undefined : changed('the isolation of its profile is another one now');
}

/**
 * Why a command that runs has more than is granted now; undefined: it has not. What is granted beyond what it started
 * with takes nothing away.
 * INVARIANT: 2 what a reload takes away ends what runs by it.
 */
export function beyondGrant(rights: Rights, { request }: Pick<Execution, 'request'>): Refusal | undefined {
  if (!rights.granted) return rights.refusal;
  const started = readRequest(request);
  if (started === undefined) return withdrawn('what it was started as cannot be read any more');
  if (dropsIsolation(rights, started)) return ISOLATION;
  if (rights.runner !== started.runner) return withdrawn(`its profile runs as ${rights.runner} now`);
  const reached = meetNetworks(started.network, rights.network);
  const reaches = isSame(reached, meetNetworks(started.network, started.network));
  return reaches ? undefined : withdrawn('its profile reaches less of the network now');
}

function dropsIsolation({ isolation }: GrantedRights, shown: ActionRequest): boolean {
  return isolation === 'required' && shown.isolation === 'none';
}

function isSame(one: Network, other: Network): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

const ISOLATION: Refusal = {
  code: 'ISOLATION_UNAVAILABLE',
  message: 'its profile needs isolation now, which a command on the machine itself never has',
  nextSteps: [
    'hand it over as a task, which runs in a sandbox: writ delegate',
    'or ask with a profile whose isolation is none',
  ],
};

function changed(what: string): Refusal {
  return { code: 'CHANGED_SINCE_APPROVAL', message: `${what}; it has to be asked for anew`, nextSteps: ['ask anew'] };
}

function withdrawn(message: string): Refusal {
  return { code: 'PROFILE_NOT_ALLOWED', message, nextSteps: ['ask for what is granted now'] };
}
