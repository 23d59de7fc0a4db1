import { type Random, sha256Hex, WritError } from '@writ/core';
import type { PeerDirectory, WritIssuer } from '@writ/delegation';
import type { SentCommand } from '@writ/lease-store';
import type { PolicyEngine } from '@writ/policy';
import { noting } from './noting.ts';
import type {
  CommandCaller,
  CommandDesk,
  CommandView,
  PeerCommands,
  SentCommands,
  WatchedCommand,
  Wish,
  WishAnswer,
} from './types.ts';
import { boundWish, checkWish, partsOf } from './wish.ts';

/** Who asks at this machine. */
export type LocalCaller = Exclude<CommandCaller, { kind: 'peer' }>;

/** Whose commands are meant: those of this node, or of a peer (label or id). */
export interface CommandPlace {
  /** `self`, or a peer. */
  readonly at: string;
}

/** Commands here and at peers, for the surfaces of this machine. */
export interface Commands {
  /**
   * Asks this node or a peer. `key` makes a retry safe; absent: a new one. Throws what the desk throws, PEER_UNKNOWN and
   * UNREACHABLE. A refusal of this node's own rules for what goes out is an answer.
   */
  ask(
    caller: LocalCaller,
    request: CommandPlace & { readonly wish: Wish; readonly key?: string },
    signal?: AbortSignal,
  ): Promise<WishAnswer & { readonly decidedBy: 'here' | 'peer' }>;
  show(
    caller: LocalCaller,
    request: CommandPlace & { readonly id: string },
    signal?: AbortSignal,
  ): Promise<CommandView>;
  /** Those that run at this node, newest first. */
  list(caller: LocalCaller, limit: number): readonly CommandView[];
  /** Those that were asked of peers from here, as they were last known, newest first; none for a task. */
  listSent(caller: LocalCaller, limit: number): readonly SentCommand[];
  watch(
    caller: LocalCaller,
    request: CommandPlace & { readonly id: string; readonly offset: number },
    signal: AbortSignal,
  ): AsyncIterable<WatchedCommand>;
  cancel(
    caller: LocalCaller,
    request: CommandPlace & { readonly id: string },
    signal: AbortSignal,
  ): Promise<CommandView>;
}

/** What asks peers. */
export interface CommandsOptions {
  readonly desk: CommandDesk;
  readonly engine: PolicyEngine;
  readonly directory: Pick<PeerDirectory, 'find'>;
  readonly peer: (id: string) => PeerCommands;
  readonly issuer: Pick<WritIssuer, 'issue'>;
  readonly sent: SentCommands;
  readonly random: Random;
}

const SELF = 'self';
/** No output stands there. */
const PAST_ALL_OUTPUT = Number.MAX_SAFE_INTEGER;

export function createCommands(options: CommandsOptions): Commands {
  const { desk, random } = options;
  const isHere = ({ at }: CommandPlace): boolean => at === SELF;
  const clientOf = (caller: LocalCaller, { at }: CommandPlace): PeerCommands => {
    onlyHost(caller);
    const { id } = findPeer(options, at);
    return noting(options.peer(id), id, options.sent);
  };
  return {
    async ask(caller, { at, wish, key }, signal) {
      checkWish(wish);
      const own = keyOf(caller, key ?? random.uuid());
      if (isHere({ at })) return { ...(await desk.ask(caller, wish, own, signal)), decidedBy: 'here' };
      return askPeer(options, caller, { at, wish, key: own });
    },
    show: async (caller, request, signal) =>
      isHere(request) ? desk.show(caller, request.id) : firstState(clientOf(caller, request), request.id, signal),
    list: (caller, limit) => desk.list(caller, limit),
    listSent: (caller, limit) => (caller.kind === 'host' ? options.sent.list(limit) : []),
    watch: (caller, request, signal) =>
      isHere(request)
        ? desk.watch(caller, request.id, request.offset, signal)
        : clientOf(caller, request).watchExecution(request.id, request.offset, signal),
    cancel: async (caller, request, signal) =>
      isHere(request) ? desk.cancel(caller, request.id, signal) : clientOf(caller, request).cancelExecution(request.id),
  };
}

/** A key belongs to one session, or one task, and is never what another part of this package makes of one. */
function keyOf(caller: LocalCaller, key: string): string {
  const whose = caller.kind === 'task' ? ['task', caller.task] : ['session', caller.session?.id ?? ''];
  return sha256Hex(JSON.stringify([...whose, key]));
}

async function askPeer(
  options: CommandsOptions,
  caller: LocalCaller,
  { at, wish, key }: CommandPlace & { readonly wish: Wish; readonly key: string },
): Promise<WishAnswer & { readonly decidedBy: 'here' | 'peer' }> {
  const { engine, issuer } = options;
  const { session } = onlyHost(caller);
  if (session === undefined) throw new WritError('TOKEN_INVALID', 'no session stands behind who asks');
  const { id: to, label } = findPeer(options, at);
  const { profile, workspace } = partsOf(wish);
  const named = { ...(profile === undefined ? {} : { profile }), ...(workspace === undefined ? {} : { workspace }) };
  const { effect, code, message, nextSteps, generation } = engine.decideOutbound({ to: label, ship: false, ...named });
  if (effect !== 'allow') {
    const refusal = { code: code === 'OK' ? ('POLICY_ERROR' as const) : code, message, nextSteps };
    return { accepted: false, refusal, generation, decidedBy: 'here' };
  }
  options.sent.record({ key, peer: to, session: session.id, agent: session.agent, wish });
  const spec = boundWish(wish);
  const writ = issuer.issue({ to, task: key, spec, session: session.id, agent: session.agent, generation });
  const answer = await noting(options.peer(to), to, options.sent).execute({ id: key, wish, writs: [writ] });
  return { ...answer, decidedBy: 'peer' };
}

/** Throws COMMAND_NOT_ALLOWED for a task: it hands work on as tasks, whose ends and whose evidence it can follow. */
function onlyHost(caller: LocalCaller): Extract<LocalCaller, { kind: 'host' }> {
  if (caller.kind === 'host') return caller;
  throw new WritError('COMMAND_NOT_ALLOWED', 'a task runs commands at its own node only', {
    nextSteps: ['hand the work on with delegate'],
  });
}

function findPeer({ directory, engine }: CommandsOptions, at: string): { readonly id: string; readonly label: string } {
  const peer = directory.find(at);
  if (peer !== undefined) return peer;
  const labels = [...engine.snapshot().config.peers.keys()].sort();
  throw new WritError('PEER_UNKNOWN', `no peer of that name`, {
    nextSteps: [
      labels.length > 0 ? `known peers: ${labels.join(', ')}` : 'pair with a node first: writ peer join CODE',
    ],
  });
}

/** What it is now, as the first thing that a watch tells: no output stands where it begins. */
async function firstState(client: PeerCommands, id: string, signal?: AbortSignal): Promise<CommandView> {
  const enough = new AbortController();
  const until = signal === undefined ? enough.signal : AbortSignal.any([signal, enough.signal]);
  try {
    for await (const item of client.watchExecution(id, PAST_ALL_OUTPUT, until)) {
      if (item.kind === 'state') return item.command;
      throw new WritError('INTERNAL', 'the peer broke the protocol: output came where a state was due');
    }
  } finally {
    enough.abort();
  }
  throw new WritError('NOT_FOUND', 'the peer told nothing of it');
}
