import { foldId, quote } from '@writ/core';
import { joinPath } from './key-path.ts';
import type { IndexedSubject } from './policy-index.ts';
import { always, type Deciding, deny, known, pass, type Refusal, type Step, skip } from './step.ts';

/** The sender is a peer of this node, or this machine's own agent, and is switched on. */
export const subjectStep: Step = {
  rule: 'peer',
  check(deciding) {
    const { index, request } = deciding;
    const subject = request.from === 'self' ? index.self : findPeer(deciding);
    if (!subject) {
      const next = `on ${quote(index.config.node.name)}, pair with it: writ peer invite`;
      return deny('PEER_UNKNOWN', `the sender ${quote(request.from)} is no peer of this node`, [next]);
    }
    deciding.subject = subject;
    if (subject.rules.enabled) return undefined;
    const next = `on ${quote(index.config.node.name)}, set \`enabled = true\` under [${subject.path}] and run: writ policy reload --accept`;
    const path = joinPath(subject.path, 'enabled');
    return deny('PEER_DISABLED', `the peer ${quote(subject.label)} is switched off on this node`, [next], path);
  },
  note(deciding) {
    const { label, path } = known(deciding.subject);
    return pass(label === 'self' ? "this machine's own agent" : `peer ${quote(label)}`, path);
  },
  variant: always,
};

/** INVARIANT: 3 identities in a chain are distinct after folding, within the limit, and the last is the sender. */
export const chainStep: Step = {
  rule: 'chain',
  check(deciding) {
    const { chain, from } = deciding.request;
    if (from === 'self') {
      if (chain.length === 0) return undefined;
      return deny('CHAIN_MISMATCH', 'a local request comes with a chain', ['send it without one']);
    }
    const { id } = known(deciding.subject);
    // The usual case, one hop: nothing to fold, nothing to compare with anything else.
    if (chain.length === 1 && chain[0] === id && id !== deciding.selfId) return checkDepth(deciding);
    const folded = chain.map(foldId);
    return (
      checkEnd(deciding, folded) ??
      checkCircle(deciding, folded) ??
      checkDepth(deciding) ??
      checkOrigin(deciding, folded)
    );
  },
  note({ request, subject }) {
    if (request.from === 'self') return skip('a local request has no chain');
    if (request.chain.length === 1) return pass('the sender is the origin');
    const path = joinPath(known(subject).path, 'accept_origins');
    return pass(`${request.chain.length} nodes, the origin is accepted`, path);
  },
  variant: ({ request: { chain } }) => (chain.length <= 1 ? '' : undefined),
};

function findPeer({ index, request }: Deciding): IndexedSubject | undefined {
  return index.peer(request.from) ?? index.peer(foldId(request.from));
}

function checkEnd({ subject }: Deciding, chain: readonly string[]): Refusal | undefined {
  const last = chain.at(-1);
  if (last === known(subject).id) return undefined;
  const message = `the chain ends with ${last === undefined ? 'nobody' : quote(last)}, not with the sender`;
  return deny('CHAIN_MISMATCH', message, ['a node hands on work under its own identity only']);
}

function checkCircle({ selfId }: Deciding, chain: readonly string[]): Refusal | undefined {
  const isHere = chain.includes(selfId);
  if (!isHere && (chain.length === 1 || new Set(chain).size === chain.length)) return undefined;
  const message = isHere ? 'the work was here before' : 'the work was twice at one node';
  const shown = chain.slice(0, 16).map(quote).join(' → ');
  return deny('CHAIN_CYCLE', `${message}: ${shown}`, ['hand it to a node that is not in its chain']);
}

function checkDepth({ index, request }: Deciding): Refusal | undefined {
  const { maxChain } = index.config.node;
  if (request.chain.length > maxChain) {
    const message = `the chain has ${request.chain.length} nodes, this node takes ${maxChain}`;
    return deny('CHAIN_TOO_DEEP', message, ['hand it on fewer times'], 'node.max_chain');
  }
  if (request.depthLeft === undefined || request.depthLeft >= 0) return undefined;
  return deny('CHAIN_TOO_DEEP', 'the writ allows no further hop', ['ask the origin for a greater depth']);
}

function checkOrigin(deciding: Deciding, chain: readonly string[]): Refusal | undefined {
  const subject = known(deciding.subject);
  const origin = chain[0] ?? '';
  if (chain.length === 1 || subject.origins.has(origin)) return undefined;
  const path = joinPath(subject.path, 'accept_origins');
  const message = `work that began at ${quote(origin)} may not come through ${quote(subject.label)}`;
  const next = `on ${quote(deciding.index.config.node.name)}, name the origin in ${path}`;
  return deny('ORIGIN_NOT_ACCEPTED', message, [next], path);
}
