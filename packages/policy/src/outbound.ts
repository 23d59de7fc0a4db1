import { foldId, foldName, quote } from '@writ/core';
import { traceStep } from './decide.ts';
import { joinPath } from './key-path.ts';
import type { PolicyIndex } from './policy-index.ts';
import { deny, type Note, pass, type Refusal, skip } from './step.ts';
import type { Decision, OutboundRequest, PeerConfig, TraceStep } from './types.ts';

/** Rules of what this machine's agents may ask of a peer, in order; the first denial ends it. */
const OUTBOUND_STEPS: readonly {
  readonly rule: string;
  readonly check: (request: OutboundRequest, peer: PeerConfig) => Refusal | Note;
}[] = [
  { rule: 'outbound peer', check: checkEnabled },
  { rule: 'outbound profile', check: checkProfile },
  { rule: 'outbound workspace', check: checkWorkspace },
  { rule: 'outbound ship', check: checkShip },
];

/** Whether a request may be sent. What the peer makes of it is the peer's to decide. */
export function decideOutboundWith(index: PolicyIndex, request: OutboundRequest, generation: number): Decision {
  const { peers, node } = index.config;
  const peer = peers.get(foldName(request.to) ?? '') ?? peers.get(index.peer(foldId(request.to))?.label ?? '');
  const findings: { readonly rule: string; readonly finding: Refusal | Note }[] = [];
  if (peer) {
    for (const { rule, check } of OUTBOUND_STEPS) {
      const finding = check(request, peer);
      findings.push({ rule, finding });
      if ('effect' in finding) break;
    }
  } else {
    const next = `run: writ peer list, or pair with it: writ peer join CODE`;
    const finding = deny('PEER_UNKNOWN', `${quote(node.name)} has no peer ${quote(request.to)}`, [next]);
    findings.push({ rule: 'outbound peer', finding });
  }
  let trace: readonly TraceStep[] | undefined;
  const last = findings.at(-1)?.finding;
  const denied = last && 'effect' in last ? last : undefined;
  return {
    effect: denied ? 'deny' : 'allow',
    code: denied?.code ?? 'OK',
    message: denied?.message ?? `the request may be sent to ${quote(peer?.label ?? request.to)}`,
    nextSteps: denied?.nextSteps ?? [],
    ...(request.profile === undefined ? {} : { requestedProfile: request.profile }),
    generation,
    get trace() {
      trace ??= findings.map(({ rule, finding }) => traceStep(rule, finding, index));
      return trace;
    },
  };
}

const at = (peer: PeerConfig, ...keys: readonly string[]) => keys.reduce(joinPath, joinPath('peers', peer.label));

function checkEnabled(_request: OutboundRequest, peer: PeerConfig): Refusal | Note {
  const path = at(peer, 'enabled');
  if (peer.enabled) return pass(`peer ${quote(peer.label)}`, path);
  const next = `set \`enabled = true\` under [${at(peer)}] and run: writ policy reload --accept`;
  return deny('PEER_DISABLED', `the peer ${quote(peer.label)} is switched off on this node`, [next], path);
}

function howToAsk({ label, address }: PeerConfig, path: string): string {
  if (address !== undefined) return `name profiles in ${path}`;
  return `${label} dials in and has no address here, so it cannot be asked; where it listens: writ peer invite there, writ peer join CODE here`;
}

function checkProfile(request: OutboundRequest, peer: PeerConfig): Refusal | Note {
  const path = at(peer, 'outbound', 'profiles');
  const { profiles } = peer.outbound;
  const next = profiles.length > 0 ? `ask for one of: ${profiles.join(', ')}` : howToAsk(peer, path);
  // The peer's own default is not known here, so that it cannot be checked against what may be asked for.
  if (request.profile === undefined) {
    return deny('PROFILE_REQUIRED', `a request to ${quote(peer.label)} has to name a profile`, [next], path);
  }
  if (profiles.includes(foldName(request.profile) ?? ''))
    return pass(`${quote(request.profile ?? '')} may be asked for`, path);
  const message = `agents here may not ask ${quote(peer.label)} for profile ${quote(request.profile)}`;
  return deny('PROFILE_NOT_ALLOWED', message, [next], path);
}

function checkWorkspace(request: OutboundRequest, peer: PeerConfig): Refusal | Note {
  if (request.workspace === undefined) return skip('no workspace is named');
  const path = at(peer, 'outbound', 'workspaces');
  const { workspaces } = peer.outbound;
  if (workspaces.includes(foldName(request.workspace) ?? '')) return pass('the workspace may be named', path);
  const message = `agents here may not name workspace ${quote(request.workspace)} at ${quote(peer.label)}`;
  const next = workspaces.length > 0 ? `name one of: ${workspaces.join(', ')}` : `name workspaces in ${path}`;
  return deny('WORKSPACE_NOT_ALLOWED', message, [next], path);
}

function checkShip(request: OutboundRequest, peer: PeerConfig): Refusal | Note {
  if (!request.ship) return skip('nothing is sent along');
  const path = at(peer, 'outbound', 'ship');
  if (peer.outbound.ship) return pass('a working tree may be sent along', path);
  const next = `set ${path} = true and run: writ policy reload --accept`;
  return deny('WORKSPACE_NOT_ALLOWED', `a working tree may not be sent to ${quote(peer.label)}`, [next], path);
}
