import { digestJson, formatDuration, type Json, WritError } from '@writ/core';
import { fieldsOf, type ReadTx } from '@writ/database';
import type { Approval, NewLease } from '@writ/lease-store';
import type { Config } from '@writ/policy';
import { z } from 'zod';
import { grantIn, renewIn } from '../lease-desk.ts';
import { planLease, planRenewal } from '../lease-granting.ts';
import type { Asker, KindRules, Refusal } from '../record-types.ts';
import { leaseQueryOf, SELF } from '../subject.ts';
import type { Authority, AuthorityOptions, LeaseSpan, LeaseTerms } from '../types.ts';
import { askerLines, type PreviewLine, type ShownAsker, showLines } from './showing.ts';
import type { Question } from './types.ts';

/** What a person is asked to lend, or to lend for longer. */
export type LeaseWish =
  | {
      readonly act: 'grant';
      readonly grant: LeaseWishGrant;
      /** Which request of the asker's it answers, and the digest of what that said: one key is one question. */
      readonly request?: { readonly key: string; readonly digest: string };
    }
  | ({ readonly act: 'renew'; readonly lease: string } & LeaseSpan);

/** A grant without who issues it: that is whoever says yes. */
export type LeaseWishGrant = LeaseWishTerms & LeaseSpan;

type LeaseWishTerms = Omit<LeaseTerms, 'issuedBy'>;

const spanSchema: z.ZodType<LeaseSpan> = z.union([
  z.object({ durationMs: z.number(), endsAtMs: z.undefined().optional() }),
  z.object({ endsAtMs: z.number(), durationMs: z.undefined().optional() }),
]);

const wishSchema: z.ZodType<LeaseWish> = z.union([
  z.object({
    act: z.literal('grant'),
    grant: z
      .object(
        fieldsOf<LeaseWishTerms>()({
          peer: z.string(),
          profile: z.string(),
          workspaces: z.array(z.string()).readonly().optional(),
          maxUses: z.number().optional(),
          origin: z.string().optional(),
          session: z.string().optional(),
        }),
      )
      .and(spanSchema),
    request: z.object({ key: z.string(), digest: z.string() }).optional(),
  }),
  z.object({ act: z.literal('renew'), lease: z.string() }).and(spanSchema),
]);

/** A wish with what it comes to under this configuration: the profile's capabilities are part of what is approved. */
interface Terms {
  readonly digest: string;
  readonly lines: readonly PreviewLine[];
}

/**
 * The question that a wish for a lease is; opens its own read transaction. Throws what `Authority.grantLease` throws, or
 * NOT_FOUND, EXPIRED and BAD_REQUEST for a lease that cannot be renewed so.
 */
export function leaseQuestion(
  options: AuthorityOptions,
  wish: LeaseWish,
  question: Pick<Question, 'asker' | 'lifetimeMs'>,
  shown: ShownAsker,
): Question {
  return options.database.withReadTx((tx) => leaseQuestionIn(options, tx, wish, { ...question, shown }));
}

/** The same in the caller's transaction. */
export function leaseQuestionIn(
  options: AuthorityOptions,
  tx: ReadTx,
  wish: LeaseWish,
  { shown, ...question }: Pick<Question, 'asker' | 'lifetimeMs'> & { readonly shown: ShownAsker },
): Question {
  const { digest, lines } = termsOf(options, tx, wish);
  const subject: Json = JSON.parse(JSON.stringify(wish));
  return {
    ...question,
    kind: 'lease',
    digest,
    subject,
    scopes: ['once'],
    preview: showLines([...askerLines(shown, question.asker), ...lines]),
  };
}

/** What an asker says of a lease for itself. */
export type OwnLeaseTerms = Pick<LeaseTerms, 'profile' | 'workspaces' | 'maxUses'> & { readonly durationMs: number };

/**
 * What an asker wishes for itself: a peer for its own name and the origin that it asks for, this machine's agent for
 * `self`. Refused where the configuration does not let it ask.
 */
export function ownLeaseWish(
  config: Config,
  asker: Asker,
  wish: OwnLeaseTerms & { readonly onlyThisSession: boolean },
): { readonly wish: Extract<LeaseWish, { act: 'grant' }> } | { readonly refusal: Refusal } {
  const { requestedBy } = asker;
  const rules = requestedBy === SELF ? config.self : [...config.peers.values()].find(({ id }) => id === requestedBy);
  if (!rules?.mayRequestLease) {
    const message = `${requestedBy === SELF ? 'this machine’s agent' : 'this peer'} may not ask for a lease here`;
    return { refusal: { code: 'LEASE_REQUIRED', message, nextSteps: ['ask the person of the executing node'] } };
  }
  const { onlyThisSession, ...grant } = wish;
  const { peer, origin, session } = leaseQueryOf({ from: requestedBy, origin: asker.origin, session: asker.session });
  const whose = { peer, origin, ...(onlyThisSession && session !== undefined ? { session } : {}) };
  return { wish: { act: 'grant', grant: { ...grant, ...whose } } };
}

/**
 * A yes lends, or lends for longer, from that moment on. What is lent has the id of its question; `lent` is told of it in
 * the transaction of the answer.
 */
export function createLeaseKind(options: AuthorityOptions, lent: Authority['tellLent']): KindRules {
  return {
    refusal: (tx, approval) => {
      const terms = readTerms(options, tx, approval);
      return 'refusal' in terms ? terms.refusal : undefined;
    },
    digestNow(tx, approval) {
      const terms = readTerms(options, tx, approval);
      // What cannot be lent any more is told as that, by `refusal`; a no to it needs no terms.
      return 'refusal' in terms ? approval.digest : terms.digest;
    },
    settle(tx, approval) {
      const wish = approval.state === 'approved' ? readWish(approval) : undefined;
      const issuedBy = approval.decidedBy ?? 'person';
      if (wish?.act === 'grant') lent(tx, grantIn(options, tx, { ...wish.grant, issuedBy }, approval.id));
      if (wish?.act === 'renew') renewIn(options, tx, { ...wish, by: issuedBy });
    },
  };
}

function termsOf(options: AuthorityOptions, tx: ReadTx, wish: LeaseWish): Terms {
  const { config } = options.engine.snapshot();
  const nowMs = options.database.nowMs();
  const said: Json = JSON.parse(JSON.stringify(wish));
  if (wish.act === 'renew') {
    const { lease } = planRenewal(options.leases.get(tx, wish.lease), wish, nowMs);
    const lines = [
      { label: 'renew lease', text: lease.id },
      ...lentLines(config, lease, wish),
      { label: 'used so far', text: String(lease.uses) },
    ];
    return { digest: digestJson({ is: 'writ lease renewal 1', wish: said }), lines };
  }
  const planned = planLease(config, { ...wish.grant, issuedBy: '' }, { id: '', nowMs });
  const { peer, origin, closure } = planned;
  const lines = lentLines(config, planned, wish.grant);
  return { digest: digestJson({ is: 'writ lease 1', wish: said, peer, origin, closure }), lines };
}

/** What is lent, whole; a duration counts from the yes, and an end is the same whenever that is given. */
function lentLines(
  config: Config,
  { peer, origin, session, profile, closure, workspaces, maxUses }: NewLease,
  { durationMs, endsAtMs }: LeaseSpan,
): readonly PreviewLine[] {
  return [
    { label: 'lend profile', text: profile },
    { label: 'which holds', text: closure.join(', ') },
    { label: 'to peer', text: withLabel(config, peer) },
    { label: 'for work of', text: withLabel(config, origin) },
    { label: 'session', text: session ?? 'every one' },
    { label: 'workspaces', text: workspaces.join(', ') || 'every one that the peer has' },
    durationMs !== undefined
      ? { label: 'for', text: `${formatDuration(durationMs)} from the yes on` }
      : { label: 'until', text: `${new Date(endsAtMs).toISOString()}, whenever the yes is given` },
    { label: 'uses', text: maxUses === undefined ? 'unlimited' : String(maxUses) },
  ];
}

/** An identity whole, and what it is called here. */
function withLabel(config: Config, id: string): string {
  const label = [...config.peers].find(([, peer]) => peer.id === id)?.[0];
  return label === undefined ? id : `${label} (${id})`;
}

function readTerms(options: AuthorityOptions, tx: ReadTx, approval: Approval): Terms | { readonly refusal: Refusal } {
  const wish = readWish(approval);
  if (wish === undefined) return { refusal: UNREADABLE };
  try {
    return termsOf(options, tx, wish);
  } catch (error) {
    // What is said to whoever asks for a lease is said to whoever would lend it.
    if (!(error instanceof WritError)) throw error;
    return { refusal: { code: error.code, message: error.message, nextSteps: error.nextSteps } };
  }
}

const UNREADABLE: Refusal = { code: 'POLICY_ERROR', message: 'the wish cannot be read', nextSteps: ['ask anew'] };

/** What a person was asked for; undefined where it cannot be read. */
export function readWish({ subject }: Pick<Approval, 'subject'>): LeaseWish | undefined {
  return wishSchema.safeParse(subject).data;
}
