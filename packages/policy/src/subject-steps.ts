import { quote } from '@writ/core';
import { foldId } from './ids.ts';
import { joinPath } from './source.ts';
import { type Deciding, deny, type Finding, known, pass, skip } from './step.ts';

/** The sender is a peer of this node, or this machine's own agent, and is switched on. */
export function checkSubject(deciding: Deciding): Finding {
  const { index, request } = deciding;
  const subject = request.from === 'self' ? index.self : index.peersById.get(foldId(request.from));
  if (!subject) {
    const next = `on ${quote(index.config.node.name)}, pair with it: writ peer invite`;
    return deny('PEER_UNKNOWN', `the sender ${quote(request.from)} is no peer of this node`, [next]);
  }
  deciding.subject = subject;
  if (!subject.rules.enabled) {
    const next = `on ${quote(index.config.node.name)}, set \`enabled = true\` under [${subject.path}] and run: writ policy reload`;
    const path = () => joinPath(subject.path, 'enabled');
    return deny('PEER_DISABLED', `the peer ${quote(subject.label)} is switched off on this node`, [next], path);
  }
  return pass(
    () => (subject.label === 'self' ? "this machine's own agent" : `peer ${quote(subject.label)}`),
    () => subject.path,
  );
}

/** INVARIANT: 3 identities in a chain are distinct after folding, within the limit, and the last is the sender. */
export function checkChain(deciding: Deciding): Finding {
  const { index, request, selfId } = deciding;
  const subject = known(deciding.subject);
  const chain = request.chain.map(foldId);
  if (request.from === 'self') {
    if (chain.length === 0) return skip('a local request has no chain');
    return deny('CHAIN_MISMATCH', 'a local request comes with a chain', ['send it without one']);
  }
  if (chain.at(-1) !== foldId(request.from)) {
    const message = `the chain ends with ${chain.length === 0 ? 'nobody' : quote(chain.at(-1) ?? '')}, not with the sender`;
    return deny('CHAIN_MISMATCH', message, ['a node hands on work under its own identity only']);
  }
  if (new Set(chain).size < chain.length || chain.includes(selfId)) {
    const message = chain.includes(selfId) ? 'the work was here before' : 'the work was twice at one node';
    return deny('CHAIN_CYCLE', `${message}: ${chain.map(quote).join(' → ')}`, [
      'hand it to a node that is not in its chain',
    ]);
  }
  const { maxChain } = index.config.node;
  if (chain.length > maxChain) {
    const message = `the chain has ${chain.length} nodes, this node takes ${maxChain}`;
    return deny('CHAIN_TOO_DEEP', message, ['hand it on fewer times'], () => 'node.max_chain');
  }
  if (request.depthLeft !== undefined && request.depthLeft < 0) {
    return deny('CHAIN_TOO_DEEP', 'the writ allows no further hop', ['ask the origin for a greater depth']);
  }
  const origin = chain[0] ?? '';
  const path = () => joinPath(subject.path, 'accept_origins');
  if (chain.length > 1 && !subject.origins.has(origin)) {
    const message = `work that began at ${quote(origin)} may not come through ${quote(subject.label)}`;
    const next = `on ${quote(index.config.node.name)}, name the origin in ${path()}`;
    return deny('ORIGIN_NOT_ACCEPTED', message, [next], path);
  }
  if (chain.length === 1) return pass(() => 'the sender is the origin');
  return pass(() => `${chain.length} nodes, the origin is accepted`, path);
}
