import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Clock, createSystemRandom, sha256Hex, WritError } from '@writ/core';
import { createResultSigner, type Result, type UnsignedResult } from '@writ/evidence';
import { issueWrit, type NodeIdentity, readWritClaims, type WritClaims, writDigest } from '@writ/identity';
import type { TaskEvent, TaskOutcome } from '@writ/task-store';
import { NODE_IDS, openTestIdentity } from '@writ/testkit/delegation';
import type { OutgoingSubmit, PeerClient } from '../peer-port.ts';
import type { SignedEnvelope, WatchedEvent } from '../types.ts';
import { NO_RESULTS } from './no-results.ts';

/** What an executor tells of a task, true or not. */
export interface Tale {
  /** Standard output of the task. */
  readonly output?: string;
  /** What differs in the signed result from an honest one. */
  readonly result?: (honest: UnsignedResult) => UnsignedResult;
  /** What differs in the outcome that is told. */
  readonly outcome?: (honest: TaskOutcome) => TaskOutcome;
  /** The envelope that comes along with the outcome; absent: none, it has to be fetched. */
  readonly inline?: (signed: SignedEnvelope) => Uint8Array;
  /** The envelope that `fetch` serves; absent: the one that was signed. */
  readonly served?: (envelope: Uint8Array) => Uint8Array;
}

/** An executor on the other end that keeps nothing and says what a test wants; it signs with the keys of node beta. */
export interface TellingExecutor {
  readonly client: PeerClient;
  readonly identity: NodeIdentity;
  /** Another node, which beta has handed work on to. */
  readonly further: NodeIdentity;
  tell(tale: Tale): void;
  /** Has `fetch` serve these bytes under their own digest, or under another. */
  serve(bytes: Uint8Array, sha256?: string): { readonly sha256: string; readonly bytes: number };
  /** The result of a task that beta has handed on to `further`, signed there. */
  child(above: UnsignedResult, more?: Partial<UnsignedResult>): Result['children'][number];
  /** What was fetched: digest and offset. */
  readonly fetched: readonly { readonly sha256: string; readonly offset: number }[];
  /** Every receipt that came, by task. */
  readonly receipts: readonly string[];
  /** Bytes that the pieces of a fetch have. */
  pieceBytes: number;
  /** Asked before each piece; throws what breaks the stream. */
  onPiece: (sha256: string, offset: number) => void | Promise<void>;
  /** Asked before each watch; throws what breaks it. */
  onWatch: () => void;
  /** Asked before each look at the transcript; throws what breaks it. As `onWatch` unless a test says otherwise. */
  onLook: () => void;
  /** Asked before each receipt; false: it is not stored. Throws what breaks the call. */
  onReceipt: (task: string) => boolean;
  close(): Promise<void>;
}

export async function createTellingExecutor(clock: Clock): Promise<TellingExecutor> {
  const dir = await mkdtemp(join(tmpdir(), 'writ-telling-'));
  const random = createSystemRandom();
  const open = (id: string): Promise<NodeIdentity> => openTestIdentity(id, { dir: join(dir, id), clock, random });
  const identity = await open(NODE_IDS.beta);
  const further = await open(NODE_IDS.gamma);
  const signer = createResultSigner({ identity, clock });
  const contents = new Map<string, Uint8Array>();
  const submitted = new Map<string, OutgoingSubmit>();
  const told = new Map<string, readonly WatchedEvent[]>();
  const fetched: { sha256: string; offset: number }[] = [];
  const receipts: string[] = [];
  let tale: Tale = {};

  const eventsOf = (task: string): readonly WatchedEvent[] => {
    const submit = submitted.get(task);
    if (!submit) throw new WritError('NOT_FOUND', 'no such task');
    const known = told.get(task);
    if (known) return known;
    const { events, signed } = tell(tale, submit, { signer, nowMs: clock.nowMs() });
    contents.set(signed.sha256, tale.served?.(signed.envelope) ?? signed.envelope);
    told.set(task, events);
    return events;
  };

  const executor: TellingExecutor = {
    ...{
      identity,
      further,
      fetched,
      receipts,
      pieceBytes: 64 * 1024,
      onPiece: () => {},
      onWatch: () => {},
      onLook: () => executor.onWatch(),
      onReceipt: () => true,
    },
    tell(next) {
      tale = next;
    },
    serve(bytes, sha256 = sha256Hex(bytes)) {
      contents.set(sha256, bytes);
      return { sha256, bytes: bytes.length };
    },
    child(above, more) {
      const { child, signed } = handedOn({ identity, further, clock }, above, more);
      contents.set(signed.sha256, signed.envelope);
      return child;
    },
    client: {} as PeerClient,
    close: () => rm(dir, { recursive: true, force: true }),
  };
  return Object.assign(executor, { client: clientOf(executor, { submitted, contents, fetched, receipts, eventsOf }) });
}

/** The other end of its wire. */
function clientOf(
  executor: TellingExecutor,
  {
    submitted,
    contents,
    fetched,
    receipts,
    eventsOf,
  }: {
    readonly submitted: Map<string, OutgoingSubmit>;
    readonly contents: ReadonlyMap<string, Uint8Array>;
    readonly fetched: { sha256: string; offset: number }[];
    readonly receipts: string[];
    readonly eventsOf: (task: string) => readonly WatchedEvent[];
  },
): PeerClient {
  return {
    async submit(outgoing) {
      submitted.set(outgoing.task, outgoing);
      return { accepted: true, state: 'queued' };
    },
    async *watch(task, afterSeq) {
      executor.onWatch();
      for (const watched of eventsOf(task)) if (watched.event.seq > afterSeq) yield watched;
    },
    cancel: async () => undefined,
    ...{ renew: NO_RESULTS.renew, reply: NO_RESULTS.reply },
    async readTranscript(_task, offset) {
      executor.onLook();
      return { data: new Uint8Array(), next: offset, end: true };
    },
    getResult: async () => new Uint8Array(),
    async *fetch(_task, sha256, offset, signal) {
      fetched.push({ sha256, offset });
      const bytes = contents.get(sha256);
      if (!bytes) throw new WritError('NOT_FOUND', 'nothing has this digest');
      for (let at = offset; at < bytes.length && !signal.aborted; at += executor.pieceBytes) {
        await executor.onPiece(sha256, at);
        yield bytes.subarray(at, at + executor.pieceBytes);
      }
    },
    async acknowledge(list) {
      return list.map(({ task }) => task).filter((task) => executor.onReceipt(task) && receipts.push(task));
    },
    workspaceCommits: async () => [],
    upload: async () => {},
    requestLease: NO_RESULTS.requestLease,
    endSession: NO_RESULTS.endSession,
  };
}

function tell(
  tale: Tale,
  submit: OutgoingSubmit,
  by: { readonly signer: ReturnType<typeof createResultSigner>; readonly nowMs: number },
): { readonly events: readonly WatchedEvent[]; readonly signed: SignedEnvelope } {
  const data = Buffer.from(tale.output ?? '');
  const honest = honestResult(submit, data, by.nowMs);
  const signed = by.signer.sign(tale.result?.(honest) ?? honest);
  const { exit, outcome, output, truncated, times } = signed.result;
  const fair: TaskOutcome = {
    ...{ state: outcome.state, message: outcome.message, truncated, ...output, result: signed.sha256 },
    ...(outcome.code === null ? {} : { code: outcome.code }),
    ...(exit === null ? {} : { ending: exit }),
    ...{ startedAtMs: by.nowMs, endedAtMs: times.endedAtMs },
  };
  const length = data.length;
  const bodies: (WatchedEvent & { readonly event: unknown })[] = [];
  const add = (body: Omit<TaskEvent, 'seq' | 'atMs' | 'epoch'>, more: Omit<WatchedEvent, 'event'> = {}): void => {
    const event = { seq: bodies.length + 1, atMs: by.nowMs, epoch: 1, ...body } as TaskEvent;
    bodies.push({ event, ...more });
  };
  add({ kind: 'state', state: 'running' } as TaskEvent);
  if (length > 0) add({ kind: 'output', stream: 'stdout', offset: 0, length } as TaskEvent, { data });
  const inline = tale.inline?.(signed);
  add({ kind: 'outcome', outcome: tale.outcome?.(fair) ?? fair } as TaskEvent, inline ? { result: inline } : {});
  return { events: bodies, signed };
}

function honestResult({ task, writs, session, agent }: OutgoingSubmit, data: Buffer, nowMs: number): UnsignedResult {
  const claims = writs.map((writ) => readWritClaims(writ));
  const last = claims.at(-1);
  return {
    ...{ task, session, agent, writs: [...writs], origin: last?.origin ?? '', nonce: last?.nonce ?? '' },
    chain: claims.map((hop) => hop?.iss ?? ''),
    ...{ workspace: null, profile: { requested: 'query', effective: 'query' }, runner: 'shell', isolation: 'none' },
    ...{ generation: 1, lease: null, approvals: [], changes: { kind: 'no-workspace' }, usage: null },
    outcome: { state: 'completed', code: null, message: 'exited with status 0' },
    exit: { kind: 'exit', exitCode: 0 },
    truncated: false,
    output: { stdoutBytes: data.length, stderrBytes: 0 },
    times: { acceptedAtMs: nowMs, startedAtMs: nowMs, endedAtMs: nowMs },
    transcript: { sha256: sha256Hex(data), bytes: data.length },
    ...{ artifacts: [], children: [] },
  };
}

function handedOn(
  { identity, further, clock }: { identity: NodeIdentity; further: NodeIdentity; clock: Clock },
  above: UnsignedResult,
  more: Partial<UnsignedResult> = {},
): { readonly child: Result['children'][number]; readonly signed: SignedEnvelope } {
  const before = above.writs.at(-1) ?? '';
  const hop = readWritClaims(before) as WritClaims;
  const [task, nonce] = [`${above.task}-on`, 'c'.repeat(32)];
  const { prev: _, ...rest } = hop;
  const iss = identity.public.id;
  const next = { ...rest, iss, aud: further.public.id, task, nonce, depth: hop.depth - 1, prev: writDigest(before) };
  const chain = [...above.chain, iss];
  const writs = [...above.writs, issueWrit(identity, next)];
  const signed = createResultSigner({ identity: further, clock }).sign({
    ...above,
    task,
    nonce,
    chain,
    writs,
    ...more,
  });
  return { child: { task, node: further.public.id, nonce, envelope: signed.sha256 }, signed };
}
