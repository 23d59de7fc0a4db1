import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createSystemClock, createSystemRandom } from '@writ/core';
import type { TaskContext, WritIssuer } from '@writ/delegation';
import { createIdentity, type NodeIdentity, readWritClaims, verifyChain } from '@writ/identity';
import { addPeer, createPolicyEngine, type PolicyEngine, stockConfig } from '@writ/policy';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createWritIssuer } from './writ-issuer.ts';

const clock = createSystemClock();
const random = createSystemRandom();
const SPEC = { input: { kind: 'argv', argv: ['true'] }, profile: 'query' } as const;
let dir: string;
let nodes: readonly { readonly identity: NodeIdentity; readonly engine: PolicyEngine; readonly issuer: WritIssuer }[];

beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), 'writ-issuer-'));
  const identities = await Promise.all(
    ['a', 'b', 'c'].map((name) => createIdentity({ dir: join(dir, name), clock, random })),
  );
  nodes = identities.map((identity, at) => {
    const next = identities[at + 1];
    const rights = { profiles: ['query'], workspaces: ['app'], ship: false };
    const stock = stockConfig({ nodeName: `n${at}`, workspaces: [], isolation: 'none' });
    const peer = { label: 'next', id: next?.public.id ?? '', profiles: [], workspaces: [], outbound: rights };
    const text = next === undefined ? stock : addPeer(stock, peer);
    const engine = createPolicyEngine({ text, clock, selfId: identity.public.id });
    return { identity, engine, issuer: createWritIssuer({ identity, engine, clock, random, lifeS: 3600 }) };
  });
});
afterAll(() => rmSync(dir, { recursive: true }));

const id = (at: number): string => nodes[at]?.identity.public.id ?? '';
const issue = (at: number, parent?: TaskContext, nonce?: string): string =>
  nodes[at]?.issuer.issue({
    ...{ to: id(at + 1), task: `t${at}`, spec: SPEC, session: 's', agent: 'me', generation: 1 },
    ...(parent ? { parent } : {}),
    ...(nonce === undefined ? {} : { nonce }),
  }) ?? '';

const context = (writs: readonly string[], more: Partial<TaskContext> = {}): TaskContext => ({
  ...{ task: 't0', origin: id(0), session: 's', agent: 'me', ids: [id(0)], writs },
  ...{ closure: ['inspect_status', 'subdelegate'], workspaces: ['app', 'docs'], network: 'deny' },
  ...{ runner: 'shell', isolation: 'none', maxOutputBytes: 1000, depth: 3, expiresAtMs: clock.nowMs() + 60_000 },
  ...more,
});

describe('the writs of two hops', () => {
  it('make a chain that whoever receives it accepts, no wider than the context at any point', () => {
    const first = issue(0);
    const second = issue(1, context([first]));
    const check = { self: id(2), tlsPeer: id(1), nowMs: clock.nowMs(), maxChain: 8 };
    const pins = { get: (node: string) => nodes.find(({ identity }) => identity.public.id === node)?.identity.public };
    const { hops, ids, last } = verifyChain([first, second], check, pins);
    expect(ids).toEqual([id(0), id(1)]);
    expect(hops[0]).toMatchObject({ depth: 7, grant: { network: 'allow', workspaces: ['app'] } });
    expect(last).toMatchObject({
      ...{ origin: id(0), session: 's', agent: 'me', depth: 2 },
      grant: { closure: ['inspect_status', 'subdelegate'], workspaces: ['app'], network: 'deny', maxOutputBytes: 1000 },
    });
    expect(last.exp * 1000).toBeLessThanOrEqual(clock.nowMs() + 60_000);
  });

  it('keep their nonce where they are issued again for the same request', () => {
    const nonceOf = (writ: string): string => readWritClaims(writ)?.nonce ?? '';
    const first = nonceOf(issue(0));
    expect(first).toMatch(/^[0-9a-f]{32}$/);
    expect(nonceOf(issue(0))).not.toBe(first);
    expect(nonceOf(issue(0, undefined, first))).toBe(first);
    expect(nonceOf(issue(1, context([issue(0)]), first))).toBe(first);
  });

  it('live longer by an extension of their own issuer, never beyond what it is told, nor where that is no later', () => {
    const first = issue(0);
    const issuer = nodes[0]?.issuer;
    const end = (writ: string | undefined): number => (readWritClaims(writ ?? '')?.exp ?? 0) * 1000;
    expect(issuer?.extend(first, end(first))).toBeUndefined();
    expect(issuer?.extend('garbage', Number.POSITIVE_INFINITY)).toBeUndefined();
    const parent = context([first], { expiresAtMs: clock.nowMs() + 60_000 });
    const child = issue(1, parent);
    const extended = nodes[1]?.issuer.extend(child, clock.nowMs() + 120_000) ?? '';
    expect(end(extended) - end(child)).toBeGreaterThan(50_000);
    expect(end(extended)).toBeLessThanOrEqual(clock.nowMs() + 120_000);
    expect(end(nodes[1]?.issuer.extend(child, Number.POSITIVE_INFINITY))).toBeLessThanOrEqual(
      clock.nowMs() + 3_600_000,
    );
  });

  it('are not signed for a task that has no second left', () => {
    const ending = context([issue(0)], { expiresAtMs: clock.nowMs() });
    expect(() => issue(1, ending)).toThrow(expect.objectContaining({ code: 'WRIT_EXPIRED' }));
  });

  it('begin at this node where its own agent asked', () => {
    const own = issue(1, context([], { origin: 'self', ids: [] }));
    const check = { self: id(2), tlsPeer: id(1), nowMs: clock.nowMs(), maxChain: 8 };
    const pins = { get: () => nodes[1]?.identity.public };
    expect(verifyChain([own], check, pins).last).toMatchObject({ origin: id(1), iss: id(1), depth: 2 });
  });
});
