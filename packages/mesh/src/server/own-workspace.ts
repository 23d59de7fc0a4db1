import { quote, WritError } from '@writ/core';
import type { PeerConfig, PolicyEngine } from '@writ/policy';
import type { Init } from '@writ/wire';
import { readName } from '../convert/fields.ts';
import { callingPeer } from '../handlers/handler-deps.ts';
import { isRefused, orThrow, type Refused, refuse } from '../refusal.ts';
import type { HandlerAdapter } from './adapt-handler.ts';
import type { CallContext } from './call-context.ts';
import type { ServedMethod } from './own-task.ts';
import type { PeerIndex } from './peer-index.ts';

/** Answers about one workspace that the caller may use; `workspace` is its folded name. */
export type OwnWorkspaceHandler<Request, Response> = (
  workspace: string,
  request: Request,
  context: CallContext,
) => Promise<Init<Response>>;
/** Answers a stream about one workspace that the caller may use; the head has been read, `rest` follows it. */
export type OwnWorkspaceIntake<Head, Request, Response> = (
  workspace: string,
  head: Head,
  rest: AsyncIterable<Request>,
  context: CallContext,
) => Promise<Init<Response>>;

interface NamesWorkspace {
  readonly workspace: string;
}

/** Makes handlers that are about one workspace: the only maker of `own-workspace`, and so the one check of it. */
export interface OwnWorkspaceAdapter {
  unary<Q extends NamesWorkspace, R>(handler: OwnWorkspaceHandler<Q, R>): ServedMethod;
  /** `readHead` makes of the first message what names the workspace; nothing more is read before that is checked. */
  intake<H extends NamesWorkspace, Q, R>(readHead: (first: Q) => H, handler: OwnWorkspaceIntake<H, Q, R>): ServedMethod;
}

/** Looks every workspace up for its caller. Calls end with NOT_FOUND for one that the caller may not use. */
export function createOwnWorkspaceAdapter(
  adapt: HandlerAdapter,
  { engine, peers }: { readonly engine: Pick<PolicyEngine, 'snapshot'>; readonly peers: Pick<PeerIndex, 'peer'> },
): OwnWorkspaceAdapter {
  /** INVARIANT: 7 a workspace that is not the caller's to use and one that is none are the same to the caller. */
  function own(context: CallContext, value: string): string | Refused {
    const name = readName('workspace', value);
    const peer = peers.peer(callingPeer(context));
    if (name === undefined || peer === undefined || !mayUse(engine, peer, name)) {
      return refuse('NOT_FOUND', `no workspace ${quote(value)} for you here`, [
        'name a workspace, as list_peers and writ peer show list them',
      ]);
    }
    return name;
  }

  return {
    unary: <Q extends NamesWorkspace, R>(handler: OwnWorkspaceHandler<Q, R>) => ({
      authorization: 'own-workspace',
      handle: adapt.unary<Q, R>(async (context, request) => {
        const workspace = own(context, request.workspace);
        return isRefused(workspace) ? workspace : handler(workspace, request, context);
      }),
    }),
    intake: <H extends NamesWorkspace, Q, R>(readHead: (first: Q) => H, handler: OwnWorkspaceIntake<H, Q, R>) => ({
      authorization: 'own-workspace',
      handle: adapt.intake<Q, R>(async (context, requests) => {
        const messages = requests[Symbol.asyncIterator]();
        const first = await messages.next();
        if (first.done) throw new WritError('BAD_REQUEST', 'head: is missing');
        const head = readHead(first.value);
        const rest = { [Symbol.asyncIterator]: () => messages };
        return handler(orThrow(own(context, head.workspace)), head, rest, context);
      }),
    }),
  };
}

/** Named for the peer, and within one of the profiles that the peer may ask for. */
function mayUse(engine: Pick<PolicyEngine, 'snapshot'>, peer: PeerConfig, name: string): boolean {
  const { config } = engine.snapshot();
  if (!config.workspaces.has(name) || !peer.workspaces.includes(name)) return false;
  return peer.profiles.some((one) => {
    const profile = config.profiles.get(one);
    return profile !== undefined && (profile.workspaces?.includes(name) ?? true);
  });
}
