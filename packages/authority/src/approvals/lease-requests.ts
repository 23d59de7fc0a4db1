import { digestJson, type Json, WritError } from '@writ/core';
import type { WriteTx } from '@writ/database';
import type { Approval, SessionStore } from '@writ/lease-store';
import type { Config, Decision } from '@writ/policy';
import { decideNow } from '../deciding.ts';
import { isReservedAgent } from '../person.ts';
import type { Asker } from '../record-types.ts';
import { beginSession } from '../sessions.ts';
import { NO_USAGE } from '../start.ts';
import { SELF } from '../subject.ts';
import type { Authority, AuthorityOptions } from '../types.ts';
import { type LeaseWish, leaseQuestion, ownLeaseWish, readWish } from './lease-kind.ts';
import type { ShownAsker } from './showing.ts';
import type { Approvals } from './types.ts';

/** How long a request for a lease waits for its answer, milliseconds. */
const LIFETIME_MS = 86_400_000;
/** Longest reason, UTF-16 units. */
const LONGEST_REASON = 2000;

/** A lease that is asked for by whoever shall have it. */
export interface LeaseRequest {
  /** Node id of who asks, or `self`; the session began there. */
  readonly from: string;
  readonly session: string;
  readonly agent: string;
  /** One key of one session is one question. */
  readonly key: string;
  readonly profile: string;
  readonly durationMs: number;
  /** Absent or empty: every one that the asker may use. */
  readonly workspaces?: readonly string[];
  readonly maxUses?: number;
  readonly onlyThisSession: boolean;
  /** What for, in its own words, for the person to read; said again in other words it is the same question. */
  readonly reason?: string;
}

/** The question as it stands, or why nobody is asked. */
export type LeaseRequestOutcome =
  | { readonly asked: true; readonly approval: Pick<Approval, 'id' | 'state' | 'expiresAtMs'> }
  | {
      readonly asked: false;
      readonly decision: Pick<Decision, 'effect' | 'code' | 'message' | 'nextSteps' | 'generation'>;
    };

/** Lets peers, and this machine's own agent, ask for leases. */
export interface LeaseRequests {
  /**
   * Asks once for each key; the same key again says what became of it. A peer's counts like any request. Throws NOT_FOUND where
   * the session has ended, CONFLICT where it is another agent's, WRIT_REPLAYED for a key that was used for something
   * else, BAD_REQUEST for a time or a number that cannot be lent.
   */
  request(request: LeaseRequest): LeaseRequestOutcome;
}

/** What requests for leases are built from. */
export interface LeaseRequestOptions {
  readonly options: AuthorityOptions;
  readonly authority: Pick<Authority, 'decide'>;
  readonly approvals: Pick<Approvals, 'ask' | 'findByRequest'>;
  readonly sessions: Pick<SessionStore, 'get' | 'start'>;
  /** Node id of this node: where sessions of `self` begin. */
  readonly self: string;
  /** How a person is shown who asks. */
  readonly showAsker: (from: string) => ShownAsker;
}

export function createLeaseRequests(parts: LeaseRequestOptions): LeaseRequests {
  const { database, engine } = parts.options;
  return {
    request(request) {
      // The signature of a peer says which node it is, and not who there: nobody is shown as a person for having said so.
      if (isReservedAgent(request.agent) || isReservedAgent(request.session)) {
        throw new WritError('BAD_REQUEST', 'no agent and no session is called as a person is', {
          nextSteps: ['ask under another name'],
        });
      }
      const known = findKnown(parts, request);
      if (known !== undefined) return { asked: true, approval: known };
      const shown = withReason(parts.showAsker(request.from), request.reason);
      const { config, generation } = engine.snapshot();
      const refuse = (refusal: Pick<Decision, 'code' | 'message' | 'nextSteps'>): LeaseRequestOutcome => ({
        asked: false,
        decision: { ...refusal, effect: 'deny', generation },
      });
      // What this machine may do with a lease can still change while its person thinks: they are shown what is asked for.
      const decision = request.from === SELF ? undefined : database.withWriteTx((tx) => admit(parts, tx, request));
      if (decision?.effect === 'deny') return { asked: false, decision };
      const asker = askerOf(parts, request);
      const own = ownLeaseWish(config, asker, wishOf(request, decision?.effectiveProfile));
      if ('refusal' in own) return refuse({ ...own.refusal, code: 'LEASE_REQUIRED' });
      const wish: LeaseWish = { ...own.wish, request: keyOf(request) };
      const question = leaseQuestion(parts.options, wish, { asker, lifetimeMs: LIFETIME_MS }, shown);
      const outcome = database.withWriteTx((tx) => {
        const { origin, session: id, agent, requestedBy } = asker;
        beginSession(parts.sessions, tx, { origin, id, agent }, requestedBy);
        return parts.approvals.ask(tx, question);
      });
      if (outcome.asked) return { asked: true, approval: outcome.approval };
      const { code, message, nextSteps } = outcome.refusal;
      if (code === 'APPROVAL_REQUIRED' || code === 'LIMIT_EXCEEDED') return refuse({ code, message, nextSteps });
      throw new WritError(code, message, { nextSteps });
    },
  };
}

/** Throws BAD_REQUEST for one that is too long to be read. */
function withReason(shown: ShownAsker, reason: string | undefined): ShownAsker {
  if (reason === undefined) return shown;
  if (reason.length <= LONGEST_REASON) return { ...shown, reason };
  throw new WritError('BAD_REQUEST', `the reason is longer than ${LONGEST_REASON} characters`, {
    nextSteps: ['say it in fewer words'],
  });
}

function askerOf({ self }: LeaseRequestOptions, { from, session, agent }: LeaseRequest): Asker {
  return { origin: from === SELF ? self : from, session, agent, requestedBy: from };
}

/** What was asked for under this key; throws WRIT_REPLAYED where that was something else. */
function findKnown(parts: LeaseRequestOptions, request: LeaseRequest): Approval | undefined {
  const { key, digest } = keyOf(request);
  const asked = { ...askerOf(parts, request), kind: 'lease', key } as const;
  const approval = parts.options.database.withReadTx((tx) => parts.approvals.findByRequest(tx, asked));
  const wish = approval && readWish(approval);
  if (wish?.act !== 'grant') return undefined;
  if (wish.request?.digest === digest) return approval;
  throw new WritError('WRIT_REPLAYED', 'this key was used for another request', {
    nextSteps: ['ask for something else under a new key'],
  });
}

function keyOf({ key, from: _, reason: __, ...said }: LeaseRequest): { readonly key: string; readonly digest: string } {
  const plain: Json = JSON.parse(JSON.stringify(said));
  return { key, digest: digestJson(plain) };
}

/**
 * Whether the asker may ask for work that needs the lease: counted and audited like any request. An `ask` is one for a
 * lease, or for the approval that comes after it.
 */
function admit({ authority, options }: LeaseRequestOptions, tx: WriteTx, request: LeaseRequest): Decision {
  const { from, session, profile } = request;
  const subject = { from, origin: from, session };
  const chain = from === SELF ? [] : [from];
  const [first, ...others] = workspacesOf(options.engine.snapshot().config, request);
  const askFor = (workspace: string | undefined) => ({
    ...{ chain, profile },
    ...(workspace === undefined ? {} : { workspace }),
  });
  const decision = authority.decide(tx, subject, askFor(first));
  if (decision.effect === 'deny') return decision;
  for (const workspace of others) {
    const other = decideNow(options, tx, { subject, ask: askFor(workspace), usage: NO_USAGE }).decision;
    if (other.effect === 'deny') return other;
  }
  return decision;
}

/** The workspaces that are looked at: those named, else one that stands for all that the asker may use. */
function workspacesOf(config: Config, { from, workspaces = [] }: LeaseRequest): readonly string[] {
  if (workspaces.length > 0) return workspaces;
  const rules = from === SELF ? config.self : [...config.peers.values()].find(({ id }) => id === from);
  return [...(rules?.workspaces ?? [])].slice(0, 1);
}

/** A lease for what would run: the ceilings of this node come before any lease. */
function wishOf(
  { durationMs, workspaces = [], maxUses, onlyThisSession, profile }: LeaseRequest,
  effectiveProfile: string | undefined,
): Parameters<typeof ownLeaseWish>[2] {
  return {
    ...{ profile: effectiveProfile ?? profile, durationMs, onlyThisSession },
    ...(workspaces.length === 0 ? {} : { workspaces }),
    ...(maxUses === undefined ? {} : { maxUses }),
  };
}
