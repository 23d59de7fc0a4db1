import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type ComposedNode, startComposedNode } from '../testing/composed-node.ts';

let node: ComposedNode;
beforeEach(async () => {
  node = await startComposedNode();
});
afterEach(() => node.remove());

/** All that the log and what it derives from say. */
function everything(): string {
  const files = readdirSync(node.home.auditDir).map((name) => readFileSync(join(node.home.auditDir, name), 'latin1'));
  const rows = node.running.database.auditAfter(0, 1000);
  return [JSON.stringify(rows), ...files].join('\n');
}

describe('the audit log of a node', () => {
  it('tells of tokens, credentials and invites, and holds none of them', async () => {
    const { control, hostToken } = node;
    const { credential } = await control.call('session_start', { agent: 'helper' });
    const watching = new AbortController();
    const invite = control.stream('peer_invite', { profiles: ['query'] }, { signal: watching.signal });
    const first = (await invite.next()).value;
    if (first?.kind !== 'invite') expect.fail('no invite');
    const { code, id } = first;
    await control.call('peer_confirm', { invite: id, accept: false });
    watching.abort();
    // Asks for everything to be written and signed.
    for await (const _ of control.stream('audit_export', {}));
    const told = everything();
    for (const action of ['token.host.issued', 'session.started', 'invite.created', 'invite.withdrawn']) {
      expect(told).toContain(action);
    }
    expect([hostToken, credential, code].every((secret) => secret.length > 20)).toBe(true);
    for (const secret of [hostToken, credential, code, code.replaceAll('-', '')]) expect(told).not.toContain(secret);
  });

  it('tells an orderly stop from a node that was killed', async () => {
    await node.restart();
    const actions = node.running.database.auditAfter(0, 100).map(({ action }) => action);
    expect(actions.filter((action) => action.startsWith('node.'))).toEqual([
      'node.started',
      'node.stopping',
      'node.started',
    ]);
  });
});
