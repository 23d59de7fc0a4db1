import type { Lease } from '@writ/authority';
import { WritError } from '@writ/core';
import type { DelegateRequest, Mirror, Task } from '@writ/delegation';
import type { Decision } from '@writ/policy';
import type { GatewayPorts } from '../gateway-ports.ts';
import { BETA_ID, fakeConfig } from './fake-config.ts';
import type { FakeEnd } from './fake-end.ts';
import { completed, fakeMirror } from './fake-records.ts';
import { type FakeResults, fakeResultMethods } from './fake-results.ts';

const decision: Decision = {
  effect: 'deny',
  code: 'LEASE_REQUIRED',
  message: 'profile `repo-dev` needs a lease',
  nextSteps: [],
  requestedProfile: 'repo-dev',
  generation: 7,
  trace: [
    { rule: 'lease', outcome: 'deny', detail: 'none', path: 'profiles.repo-dev', position: { line: 9, column: 1 } },
  ],
};

/** As much of a port as a test needs. */
export function partial<T>(part: Partial<T>): T {
  return part as T;
}

/** An engine with `fakeConfig` that lends nothing. */
export function fakeEngine(): GatewayPorts['engine'] {
  const config = fakeConfig();
  return partial<GatewayPorts['engine']>({
    snapshot: () => ({ generation: 7, digest: 'abc', config, peer: () => undefined, deprecations: [] }),
    decide: () => decision,
    decideOutbound: () => ({ ...decision, effect: 'allow', code: 'OK', message: 'may go out' }),
    decideUpstream: () => decision,
    whileHeld: async (fn) => fn(),
    reload: async () => ({ reloaded: true, generation: 8, restartNeeded: [] }),
    status: () => ({
      generation: 7,
      digest: 'abc',
      acceptedDigest: 'abc',
      loadedAtMs: 1,
      deprecations: [],
      isShut: false,
      restartNeeded: [],
      addressesWaiting: [],
    }),
    onChange: () => () => {},
  });
}

/** An authority that keeps leases in `leases`. */
export function fakeAuthority(leases: Map<string, Lease>): GatewayPorts['authority'] {
  return partial<GatewayPorts['authority']>({
    decide: () => decision,
    preview: () => decision,
    permitStart: () => ({ permitted: false, decision, code: 'LEASE_REQUIRED', message: decision.message }),
    returnClaim: () => {},
    grantLease(grant) {
      const id = `l-${leases.size + 1}`;
      const endsAtMs = grant.durationMs === undefined ? grant.endsAtMs : 1_700_000_000_000 + grant.durationMs;
      const lease: Lease = {
        id,
        peer: BETA_ID,
        origin: BETA_ID,
        profile: grant.profile,
        closure: ['edit_repo'],
        workspaces: grant.workspaces ?? [],
        issuedBy: grant.issuedBy,
        issuedAtMs: 1_700_000_000_000,
        expiresAtMs: endsAtMs,
        maxExpiresAtMs: endsAtMs,
        ...(grant.maxUses === undefined ? {} : { maxUses: grant.maxUses }),
        uses: 0,
        version: 1,
      };
      leases.set(id, lease);
      return lease;
    },
    renewLease(id) {
      const lease = leases.get(id);
      if (lease === undefined) throw new WritError('NOT_FOUND', 'no such lease');
      return lease;
    },
    listLeases: () => [...leases.values()],
    revokeLease(id) {
      const lease = leases.get(id);
      if (lease === undefined) throw new WritError('NOT_FOUND', 'no such lease');
      leases.set(id, { ...lease, revokedAtMs: 1_700_000_000_001 });
      return lease.revokedAtMs === undefined;
    },
    onLeaseRevoked: () => () => {},
    onLeaseLent: () => () => {},
    tellLent: () => {},
    usesLeft: () => 0,
  });
}

/** What comes after `before`; nothing where it is unknown, as in the real stores. */
function pageOf<R extends { readonly id: string }>(records: readonly R[], before: string | undefined): readonly R[] {
  if (before === undefined) return records;
  const at = records.findIndex((record) => record.id === before);
  return at < 0 ? [] : records.slice(at + 1);
}

/** The asking end; what asks for `repo-dev` is refused. */
export function fakeOrigin(
  end: FakeEnd<Mirror>,
  delegated: DelegateRequest[],
  results: FakeResults,
): GatewayPorts['origin'] {
  return partial<GatewayPorts['origin']>({
    ...fakeResultMethods(results).origin,
    async forget(id, by) {
      results.forgotten.push({ id, by });
      const outcome = { ...completed, state: 'lost' as const, code: 'LOST' as const, message: 'given up' };
      const mirror = { ...(end.records.get(id) ?? fakeMirror(id)), state: 'lost' as const, outcome };
      end.records.set(id, mirror);
      return mirror;
    },
    async delegate(request) {
      delegated.push(request);
      const task = fakeMirror(`t-${delegated.length}`, { spec: request.spec, session: request.session });
      end.records.set(task.id, task);
      if (request.spec.profile !== 'repo-dev') return { accepted: true, task };
      return { accepted: false, task, decidedBy: 'peer', decision: { ...decision, effect: 'deny' } };
    },
    get: (id) => end.records.get(id),
    removedAtMs: (id) => end.removedAtMs.get(id),
    list: ({ limit, before, peer }) =>
      pageOf(end.newestFirst(), before)
        .filter((mirror) => peer === undefined || mirror.peer === peer)
        .slice(0, limit),
    watch: end.watch,
    readTranscript: end.readTranscript,
    async cancel(id, by) {
      end.cancelled.push({ id, by });
      const mirror = { ...(end.records.get(id) ?? fakeMirror(id)), state: 'cancelled' as const };
      end.records.set(id, { ...mirror, outcome: { ...completed, state: 'cancelled' } });
      return mirror;
    },
    async reply(id, reply) {
      end.replies.push({ id, ...reply });
      return { question: reply.question, state: 'running', open: 0 };
    },
    turn: (id) => end.turns.get(id),
    requestLease: async ({ key, profile }) =>
      profile === 'repo-dev'
        ? { asked: true, approval: `ap-${key.slice(0, 8)}`, state: 'pending', answerByMs: 5 }
        : { asked: false, decision: { ...decision, effect: 'deny' } },
    waitsFor: (id) => end.waits.get(id),
    writs: () => [],
    endWhere: async () => 0,
    recover: async () => {},
    close: async () => {},
  });
}

/** The executing end. */
export function fakeExecutor(end: FakeEnd<Task>, results: FakeResults): GatewayPorts['executor'] {
  return partial<GatewayPorts['executor']>({
    ...fakeResultMethods(results).executor,
    submit: async () => ({ accepted: false, decision }),
    get: (id) => end.records.get(id),
    removedAtMs: (id) => end.removedAtMs.get(id),
    list: ({ limit, before, sender }) =>
      pageOf(end.newestFirst(), before)
        .filter((task) => sender === undefined || task.sender === sender)
        .slice(0, limit),
    watch: end.watch,
    readTranscript: end.readTranscript,
    async cancel(id, by) {
      end.cancelled.push({ id, by });
      const task = end.records.get(id);
      if (task === undefined) throw new WritError('NOT_FOUND', 'no such task');
      const ended = { ...task, state: 'cancelled' as const };
      end.records.set(id, ended);
      return ended;
    },
    turns: partial<GatewayPorts['executor']['turns']>({
      async ask(task, { questions }) {
        end.asked.push({ task, questions });
        return { turn: 1, answers: [] };
      },
      turn: (id) => end.turns.get(id),
    }),
    waitsFor: (id) => end.waits.get(id),
    writs: () => [],
    endWhere: async () => 0,
    recover: async () => ({ lost: 0, killed: 0 }),
    close: async () => {},
  });
}
