import {
  type Ask,
  type Asker,
  type CommandBasis,
  type Refusal,
  type ShownAsker,
  writeBasis,
  writeTaskBasis,
} from '@writ/authority';
import { type Json, toWritError, WritError } from '@writ/core';
import type { WriteTx } from '@writ/database';
import { boundsOf, chainAsk, checkLives } from '@writ/delegation';
import { identityWords, type VerifiedChain } from '@writ/identity';
import { decisionForPeer, type Isolation, type Network } from '@writ/policy';
import type { CommandDeskOptions } from './parts.ts';
import type { CommandCaller, Wish } from './types.ts';
import { partsOf, wishDigest } from './wish.ts';

/** Who asks for a wish, and from what its right is decided; all of it from credentials. */
export interface Asking {
  readonly asker: Asker;
  readonly shown: ShownAsker;
  readonly basis: Json;
  /** When the writs end that it came with, milliseconds since the epoch. */
  readonly endsAtMs?: number;
  /** Where it works unless it says otherwise; absent: nowhere in particular. */
  readonly place?: string;
  /** Decides, counts and audits, in the caller's transaction. */
  decide(tx: WriteTx): Decided;
}

/** What policy and leases say to a wish at this moment. */
export type Decided =
  | {
      readonly allowed: true;
      readonly profile: string;
      readonly runner: string;
      readonly network: Network;
      readonly isolation: Isolation;
      readonly closure: readonly string[];
    }
  | { readonly allowed: false; readonly refusal: Refusal };

/**
 * Throws TOKEN_INVALID where no session stands behind the caller, WRIT_INVALID where the writs are for something else,
 * and what keeps a task from asking.
 */
export function askingOf(options: CommandDeskOptions, caller: CommandCaller, wish: Wish, key: string): Asking {
  switch (caller.kind) {
    case 'host':
      return ofHost(options, caller, wish);
    case 'task':
      return ofTask(options, caller.task, wish);
    case 'peer':
      return ofPeer(options, caller.id, requireChain(caller.chain), { wish, key });
  }
}

function ofHost(
  options: CommandDeskOptions,
  { session }: Extract<CommandCaller, { kind: 'host' }>,
  wish: Wish,
): Asking {
  if (session === undefined) throw noSession();
  const { self, engine } = options;
  const asker: Asker = { origin: self, session: session.id, agent: session.agent, requestedBy: 'self' };
  const { profile, workspace } = partsOf(wish);
  const ask: Ask = {
    ...{ chain: [], input: 'argv' },
    ...(profile === undefined ? {} : { profile }),
    ...(workspace === undefined ? {} : { workspace }),
  };
  const shown = { label: engine.snapshot().config.node.name, words: identityWords(self) };
  return byPolicy(options, asker, shown, { subject: { from: 'self', origin: self, session: session.id }, ask });
}

/** INVARIANT: 3, 7 session, origin and agent are those of the verified writs, whatever else the peer says. */
function ofPeer(
  options: CommandDeskOptions,
  from: string,
  chain: VerifiedChain,
  { wish, key }: { readonly wish: Wish; readonly key: string },
): Asking {
  const { last } = chain;
  checkLives(chain);
  if (last.task !== key || last.request !== wishDigest(wish)) {
    throw new WritError('WRIT_INVALID', 'the writ was made for another command');
  }
  const { profile, workspace } = partsOf(wish);
  if (last.profile !== profile || last.workspace !== workspace) {
    throw new WritError('WRIT_INVALID', 'the writ was made for another profile or workspace');
  }
  const bounds = boundsOf(chain);
  const subject = { from, origin: last.origin, session: last.session };
  const asker: Asker = { origin: last.origin, session: last.session, agent: last.agent, requestedBy: from };
  const { config } = options.engine.snapshot();
  const label = [...config.peers.values()].find(({ id }) => id === from)?.label ?? 'a peer';
  const ask = chainAsk(chain, { ...(profile === undefined ? {} : { profile }), ...(workspace && { workspace }) });
  const writExpiresAtMs = bounds.writExpiresAtMs ?? 0;
  return {
    ...byPolicy(options, asker, { label, words: identityWords(from) }, { subject, ask, writExpiresAtMs }),
    endsAtMs: writExpiresAtMs,
  };
}

function byPolicy(options: CommandDeskOptions, asker: Asker, shown: ShownAsker, basis: CommandBasis): Asking {
  return {
    asker,
    shown,
    basis: writeBasis(basis),
    decide(tx) {
      const decision = options.authority.decide(tx, basis.subject, basis.ask);
      const { effect, grant, effectiveProfile, effectiveRunner } = decision;
      if (effect !== 'allow' || !grant || effectiveProfile === undefined || effectiveRunner === undefined) {
        const told = basis.subject.from === 'self' ? decision : decisionForPeer(decision);
        const { code, message, nextSteps } = told;
        return { allowed: false, refusal: { code: code === 'OK' ? 'POLICY_ERROR' : code, message, nextSteps } };
      }
      const { network, isolation, closure } = grant;
      return { allowed: true, profile: effectiveProfile, runner: effectiveRunner, network, isolation, closure };
    },
  };
}

/** A task asks under its own effective profile, in the session that it carries. INVARIANT: 7 it can name neither. */
function ofTask(options: CommandDeskOptions, id: string, wish: Wish): Asking {
  const { database, contextOf, executor, self, engine } = options;
  const context = database.withReadTx((tx) => contextOf(tx, id));
  const { granted, spec } = executor.get(id) ?? {};
  if (granted === undefined) throw noSession();
  const { session, agent, ids } = context;
  const origin = context.origin === 'self' ? self : context.origin;
  const from = ids.at(-1);
  const asker: Asker = { origin, session, agent, task: id, requestedBy: from ?? 'self' };
  const { effectiveProfile, effectiveRunner, isolation } = granted;
  const { profile, workspace } = partsOf(wish);
  const { config } = engine.snapshot();
  const label = [...config.peers.values()].find((peer) => peer.id === from)?.label ?? config.node.name;
  return {
    asker,
    shown: { label: `task ${id} of ${label}`, words: identityWords(from ?? self) },
    basis: writeTaskBasis(workspace ?? spec?.workspace),
    endsAtMs: context.expiresAtMs,
    ...(context.files === undefined ? {} : { place: context.files.dir }),
    decide(tx) {
      if (profile !== undefined && profile !== effectiveProfile) {
        return refused('PROFILE_NOT_ALLOWED', `this task runs as ${effectiveProfile} and asks as nothing else`);
      }
      try {
        const { network, closure, workspaces } = contextOf(tx, id);
        if (workspace !== undefined && !workspaces.includes(workspace)) {
          return refused('GRANT_EXCEEDED', 'the workspace is not in the grant of this task');
        }
        return { allowed: true, profile: effectiveProfile, runner: effectiveRunner, network, isolation, closure };
      } catch (error) {
        const { code, message, nextSteps } = toWritError(error);
        return { allowed: false, refusal: { code, message, nextSteps } };
      }
    },
  };
}

function refused(code: Refusal['code'], message: string): Decided {
  return { allowed: false, refusal: { code, message, nextSteps: ['ask for what this task was granted'] } };
}

function requireChain(chain: VerifiedChain | undefined): VerifiedChain {
  if (chain === undefined) throw noSession();
  return chain;
}

function noSession(): WritError {
  return new WritError('TOKEN_INVALID', 'no session stands behind who asks', {
    nextSteps: ['ask with a credential that has one'],
  });
}
