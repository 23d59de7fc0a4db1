import { sign } from 'node:crypto';
import { canonicalJson, createSystemRandom, isWritError, type Json, type WritError } from '@writ/core';
import { hostileNames } from '@writ/testkit/names';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { issueLeafCertificate } from './certificate-issue.ts';
import { spkiOf } from './identity-files.ts';
import { createTestNodes, firstClaims, type TestNode, type TestNodes } from './testing/nodes.ts';
import type { ChainCheck, WritClaims } from './types.ts';
import { verifyChain } from './writ-chain.ts';
import { formatWrit } from './writ-format.ts';
import { issueWrit, writDigest } from './writ-issue.ts';

type Claims = Partial<Record<keyof WritClaims, unknown>> & { readonly [key: string]: unknown };

describe('a chain of writs', () => {
  let nodes: TestNodes;
  let a: TestNode;
  let b: TestNode;
  let c: TestNode;
  let d: TestNode;
  let check: ChainCheck;
  beforeAll(async () => {
    nodes = await createTestNodes(4);
    [a, b, c, d] = nodes.nodes as [TestNode, TestNode, TestNode, TestNode];
    check = { self: d.id, tlsPeer: c.id, nowMs: nodes.clock.nowMs(), maxChain: 8 };
  });
  afterAll(() => nodes.remove());

  const pinned = (...known: TestNode[]) => ({
    get: (id: string) => known.find((node) => node.id === id)?.identity.public,
  });
  const verify = (compacts: readonly string[], other: Partial<ChainCheck> = {}) =>
    verifyChain(compacts, { ...check, ...other }, pinned(b, c));

  /** The claims of an honest a → b → c → d. */
  const first = (): WritClaims => firstClaims(a, b, check.nowMs);
  const next = (before: WritClaims, compact: string, from: TestNode, to: TestNode): WritClaims => ({
    ...before,
    iss: from.id,
    aud: to.id,
    task: `${before.task.slice(0, -1)}${before.depth}`,
    depth: before.depth - 1,
    nonce: String(before.depth).repeat(32),
    prev: writDigest(compact),
  });

  /** What a node that lies can do: sign anything with its own keys. */
  const lie = (by: TestNode, claims: Claims): string =>
    formatWrit(
      'writ1',
      {
        identityDer: by.root.certificateDer,
        signingDer: by.identity.signingCertificate(),
        claims: JSON.parse(JSON.stringify(claims)) as Json,
      },
      (data) => sign(null, data, by.signing.key),
    );

  /** Three hops; `change` alters the claims of hop `at` (from 1), signed by whoever issues that hop. */
  const chain = (at = 0, change: (claims: WritClaims) => Claims = (claims) => ({ ...claims })): string[] => {
    const altered = (hop: number, claims: WritClaims): Claims => (hop === at ? change(claims) : { ...claims });
    const one = lie(a, altered(1, first()));
    const two = lie(b, altered(2, next(first(), one, b, c)));
    const three = lie(c, altered(3, next(next(first(), one, b, c), two, c, d)));
    return [one, two, three];
  };
  const thrownBy = (run: () => unknown): WritError => {
    try {
      run();
    } catch (error) {
      if (isWritError(error)) return error;
      throw error;
    }
    throw new Error('nothing was thrown');
  };

  it('that is honest is accepted, with its hops and ids in order', () => {
    const one = issueWrit(a.identity, first());
    const two = issueWrit(b.identity, next(first(), one, b, c));
    const three = issueWrit(c.identity, next(next(first(), one, b, c), two, c, d));
    expect([one, two, three]).toEqual(chain());
    const verified = verify([one, two, three]);
    expect(verified.ids).toEqual([a.id, b.id, c.id]);
    expect(verified.last).toEqual(verified.hops[2]);
    expect(verified.last.depth).toBe(1);
  });

  it('of one hop is accepted from the pinned peer that issued it, and from nobody else', () => {
    const compact = issueWrit(a.identity, first());
    const at = { ...check, self: b.id, tlsPeer: a.id };
    expect(verifyChain([compact], at, pinned(a)).ids).toEqual([a.id]);
    expect(thrownBy(() => verifyChain([compact], at, pinned(c))).code).toBe('PEER_UNKNOWN');
    expect(thrownBy(() => verifyChain([compact], { ...at, tlsPeer: c.id }, pinned(a))).code).toBe('CHAIN_MISMATCH');
    expect(thrownBy(() => verifyChain([compact], { ...at, self: c.id }, pinned(a))).code).toBe('CHAIN_MISMATCH');
  });

  it.each(hostileNames().filter(({ isName }) => !isName))('that names $shown anywhere is refused', ({ name }) => {
    const changes: readonly ((claims: WritClaims) => Claims)[] = [
      (claims) => ({ ...claims, profile: name }),
      (claims) => ({ ...claims, workspace: name }),
      (claims) => ({ ...claims, grant: { ...claims.grant, closure: [name] } }),
      (claims) => ({ ...claims, grant: { ...claims.grant, workspaces: [name] } }),
    ];
    for (const hop of [1, 2, 3]) {
      for (const change of changes) {
        expect(thrownBy(() => verify(chain(hop, change))).code).toBe('WRIT_INVALID');
      }
    }
    expect(thrownBy(() => issueWrit(a.identity, { ...first(), profile: name })).code).toBe('WRIT_INVALID');
  });

  it('whose names are in capitals is refused: the folded form is what is signed', () => {
    expect(thrownBy(() => verify(chain(2, (claims) => ({ ...claims, profile: 'Query' })))).code).toBe('WRIT_INVALID');
  });

  it('that is empty, cut, out of order or repeated is refused', () => {
    const [one = '', two = '', three = ''] = chain();
    expect(thrownBy(() => verify([])).code).toBe('WRIT_INVALID');
    for (const wrong of [[one, two], [two, three], [one, three], [three], [two, one, three], [one, two, two, three]]) {
      expect(thrownBy(() => verify(wrong)).code).toMatch(/^(CHAIN_MISMATCH|WRIT_INVALID)$/);
    }
  });

  it('longer than the verifier allows is refused before anything in it is read', () => {
    expect(thrownBy(() => verify(['x', 'y', 'z'], { maxChain: 2 })).code).toBe('CHAIN_TOO_DEEP');
    expect(verify(chain(), { maxChain: 3 }).ids).toHaveLength(3);
  });

  it.each<[string, string, (claims: WritClaims) => Claims, string?]>([
    ['iss', 'another issuer', (claims) => ({ ...claims, iss: a.id }), 'iss'],
    ['iss', 'its own issuer in upper case', (claims) => ({ ...claims, iss: claims.iss.toUpperCase() })],
    ['iss', 'an issuer that is a label', (claims) => ({ ...claims, iss: 'laptop' })],
    ['aud', 'another audience', (claims) => ({ ...claims, aud: d.id })],
    ['origin', 'another origin', (claims) => ({ ...claims, origin: b.id })],
    ['session', 'another session', (claims) => ({ ...claims, session: 'session-2' })],
    ['agent', 'another agent', (claims) => ({ ...claims, agent: 'agent-2' })],
    ['session', 'no session', ({ session: _, ...claims }) => claims],
    ['session', 'an empty session', (claims) => ({ ...claims, session: '' })],
    ['session', 'a session with a control character', (claims) => ({ ...claims, session: 'a\u202eb' })],
    ['prev', 'no digest of the hop before', ({ prev: _, ...claims }) => claims],
    ['prev', 'a wrong digest of the hop before', (claims) => ({ ...claims, prev: 'ab'.repeat(32) })],
    ['depth', 'the same depth', (claims) => ({ ...claims, depth: claims.depth + 1 })],
    ['depth', 'a negative depth', (claims) => ({ ...claims, depth: -1 })],
    ['depth', 'a depth beyond counting', (claims) => ({ ...claims, depth: 1_000_000_000 })],
    ['agent', 'the name of a person', (claims) => ({ ...claims, agent: 'Person' })],
    ['session', 'the session of a person', (claims) => ({ ...claims, session: 'person' })],
    ['depth', 'half a depth', (claims) => ({ ...claims, depth: 0.5 })],
    ['depth', 'a depth in words', (claims) => ({ ...claims, depth: '1' })],
    ['exp', 'a later end', (claims) => ({ ...claims, exp: claims.exp + 1 })],
    ['iat', 'an issue in the future', (claims) => ({ ...claims, iat: claims.iat + 120 })],
    ['iat', 'an issue after its end', (claims) => ({ ...claims, exp: claims.iat - 1 })],
    ['v', 'another version', (claims) => ({ ...claims, v: 2 })],
    ['nonce', 'no nonce', (claims) => ({ ...claims, nonce: '' })],
    ['request', 'no digest of the request', (claims) => ({ ...claims, request: '' })],
    ['generation', 'a fraction of a generation', (claims) => ({ ...claims, generation: 1.5 })],
    ['profile', 'a profile that is no name', (claims) => ({ ...claims, profile: 'Repo Dev' })],
    ['workspace', 'a workspace that climbs', (claims) => ({ ...claims, workspace: '../app' })],
    ['approved', 'an unknown field', (claims) => ({ ...claims, approved: true })],
    ['grant.closure', 'a capability more', (claims) => withGrant(claims, { closure: ['edit_repo', 'push_repo'] })],
    ['grant.closure', 'no closure', (claims) => withGrant(claims, { closure: undefined })],
    ['grant.closure', 'a closure out of order', (claims) => withGrant(claims, { closure: ['run_tests', 'edit_repo'] })],
    ['grant.closure', 'a closure with doubles', (claims) => withGrant(claims, { closure: ['edit_repo', 'edit_repo'] })],
    ['grant.workspaces', 'a workspace more', (claims) => withGrant(claims, { workspaces: ['app', 'secret'] })],
    ['grant.workspaces', 'no list of workspaces', (claims) => withGrant(claims, { workspaces: undefined })],
    ['grant.network', 'the whole network', (claims) => withGrant(claims, { network: 'allow' })],
    ['grant.network', 'another host', (claims) => withGrant(claims, { network: ['c.example:443'] })],
    ['grant.network', 'another port', (claims) => withGrant(claims, { network: ['a.example:444'] })],
    ['grant.network', 'an empty list', (claims) => withGrant(claims, { network: [] })],
    ['grant.maxOutputBytes', 'more output', (claims) => withGrant(claims, { maxOutputBytes: 1001 })],
    ['grant.maxOutputBytes', 'endless output', (claims) => withGrant(claims, { maxOutputBytes: null })],
    ['grant.shell', 'an unknown field in the grant', (claims) => withGrant(claims, { shell: true })],
  ])('whose middle hop lies about %s (%s) is refused by name', (field, _what, change) => {
    const error = thrownBy(() => verify(chain(2, change)));
    expect(error.code).toMatch(/^(WRIT_INVALID|CHAIN_MISMATCH)$/);
    // A wrong audience is seen where the next hop does not follow.
    expect(error.details).toEqual(field === 'aud' ? { hop: 3, field: 'iss' } : { hop: 2, field });
    expect(error.message).toContain(`hop ${error.details.hop}: ${error.details.field}: `);
  });

  it.each<[string, (claims: WritClaims) => Claims, () => string]>([
    [
      'a wrong issuer',
      (claims) => ({ ...claims, iss: a.id }),
      () => `WRIT_INVALID iss: signed by ${b.id}, not by ${a.id}`,
    ],
    ['an unknown field', (claims) => ({ ...claims, more: 1 }), () => 'WRIT_INVALID more: unknown field'],
    [
      'an end before its issue',
      (claims) => ({ ...claims, exp: claims.iat - 1 }),
      () => 'WRIT_INVALID iat: issued after its own end',
    ],
    ['the future', (claims) => ({ ...claims, iat: claims.iat + 120 }), () => 'WRIT_INVALID iat: issued in the future'],
    [
      'no hop before',
      ({ prev: _, ...claims }) => claims,
      () => 'CHAIN_MISMATCH prev: it is not the digest of the hop before',
    ],
    ['another origin', (claims) => ({ ...claims, origin: b.id }), () => `CHAIN_MISMATCH origin: changed from ${a.id}`],
    [
      'another session',
      (claims) => ({ ...claims, session: 's2' }),
      () => 'CHAIN_MISMATCH session: changed from `session-1` to `s2`',
    ],
    [
      'another agent',
      (claims) => ({ ...claims, agent: 'a2' }),
      () => 'CHAIN_MISMATCH agent: changed from `agent-1` to `a2`',
    ],
    ['more than before', (claims) => ({ ...claims, depth: 9 }), () => 'WRIT_INVALID depth: wider than the hop before'],
  ])('says what is wrong with a hop, where and in which field: %s', (_what, change, why) => {
    const [code, message] = why().split(/ (.*)/s);
    expect(thrownBy(() => verify(chain(2, change)))).toMatchObject({ code, message: `hop 2: ${message}` });
  });

  it('says what is wrong with the whole', () => {
    const said = (run: () => unknown): string => {
      const { code, details, message } = thrownBy(run);
      return [code, details.hop, details.field, message].filter((part) => part !== undefined).join(' · ');
    };
    expect(said(() => verify([]))).toBe('WRIT_INVALID · there is no writ');
    expect(said(() => verify(chain(), { maxChain: 2 }))).toBe('CHAIN_TOO_DEEP · chain of 3 hops is longer than 2');
    expect(said(() => verify(['writ1.x', 'y', 'z']))).toBe(
      'WRIT_INVALID · 1 · form · hop 1: form: it has not four parts',
    );
    expect(said(() => verify(chain(1, (claims) => ({ ...claims, prev: 'ab'.repeat(32) }))))).toBe(
      'WRIT_INVALID · 1 · prev · hop 1: prev: the first hop follows nothing',
    );
    expect(said(() => verify(chain(1, (claims) => ({ ...claims, origin: b.id }))))).toBe(
      'CHAIN_MISMATCH · 1 · origin · hop 1: origin: the first issuer is not the origin',
    );
    expect(said(() => verify(chain(), { tlsPeer: b.id }))).toBe(
      `CHAIN_MISMATCH · 3 · iss · hop 3: iss: issued by ${c.id}, but the connection is of ${b.id}`,
    );
    expect(said(() => verify(chain(), { self: a.id }))).toBe(
      `CHAIN_MISMATCH · 3 · aud · hop 3: aud: made for ${d.id}, not for this node`,
    );
    expect(said(() => verifyChain(chain(), check, pinned(a, b)))).toBe(
      `PEER_UNKNOWN · 3 · iss · hop 3: iss: ${c.id} is not a peer of this node`,
    );
    expect(said(() => verify(chain(2, (claims) => ({ ...claims, aud: d.id }))))).toBe(
      `CHAIN_MISMATCH · 3 · iss · hop 3: iss: ${c.id} was not the audience of the hop before (${d.id})`,
    );
    expect(said(() => verify(chain(), { nowMs: first().exp * 1000 + 60_001 }))).toBe(
      `WRIT_EXPIRED · 1 · exp · hop 1: exp: ended at ${new Date(first().exp * 1000).toISOString()}`,
    );
  });

  it('may end in the second in which it was issued', () => {
    const one = lie(a, { ...first(), exp: first().iat });
    expect(verifyChain([one], { ...check, self: b.id, tlsPeer: a.id }, pinned(a)).last.exp).toBe(first().iat);
  });

  const withGrant = (claims: WritClaims, grant: Record<string, unknown>): Claims => ({
    ...claims,
    grant: { ...claims.grant, ...grant },
  });

  it('may narrow everything at every hop', () => {
    const narrow = (claims: WritClaims): Claims => ({
      ...claims,
      depth: 0,
      exp: claims.exp - 10,
      grant: { closure: [], workspaces: [], network: 'deny', maxOutputBytes: 0 },
    });
    expect(verify(chain(3, narrow)).last.grant.network).toBe('deny');
    const one = lie(a, { ...withGrant(first(), { network: 'allow' }) });
    const two = lie(b, { ...next(first(), one, b, c) });
    expect(verify([one, two], { self: c.id, tlsPeer: b.id }).ids).toEqual([a.id, b.id]);
  });

  it('ends where no further hop was allowed', () => {
    const one = lie(a, { ...first(), depth: 0 });
    const two = lie(b, { ...next(first(), one, b, c), depth: 0 });
    expect(thrownBy(() => verify([one, two], { self: c.id, tlsPeer: b.id }))).toMatchObject({
      code: 'CHAIN_TOO_DEEP',
      message: 'hop 2: depth: the hop before allows no further one',
    });
  });

  it('in which an identity is met twice is refused', () => {
    const [one = '', two = ''] = chain();
    const second = next(first(), one, b, c);
    const back = lie(c, { ...next(second, two, c, a) });
    const at = { self: a.id, tlsPeer: c.id };
    expect(thrownBy(() => verify([one, two, back], at))).toMatchObject({
      code: 'CHAIN_CYCLE',
      details: { hop: 3, field: 'aud' },
      message: `hop 3: aud: ${a.id} is in it twice`,
    });
    const third = next(second, two, c, b);
    const round = [one, two, lie(c, { ...third })];
    const fourth = lie(b, { ...next(third, round[2] ?? '', b, d), depth: 0 });
    expect(thrownBy(() => verify([...round, fourth], { self: d.id, tlsPeer: b.id }))).toMatchObject({
      code: 'CHAIN_CYCLE',
      details: { hop: 4, field: 'iss' },
    });
    const toItself = lie(a, { ...first(), aud: a.id });
    const own = { ...check, self: a.id, tlsPeer: a.id };
    expect(thrownBy(() => verifyChain([toItself], own, pinned(a))).code).toBe('CHAIN_CYCLE');
  });

  it('whose first hop was not made by its origin, or follows something, is refused', () => {
    expect(thrownBy(() => verify(chain(1, (claims) => ({ ...claims, origin: b.id })))).code).toBe('CHAIN_MISMATCH');
    expect(thrownBy(() => verify(chain(1, (claims) => ({ ...claims, prev: 'ab'.repeat(32) })))).code).toBe(
      'WRIT_INVALID',
    );
  });

  it('is good until a minute after its end, and not before a minute before its issue', () => {
    const expMs = first().exp * 1000;
    const iatMs = first().iat * 1000;
    expect(verify(chain(), { nowMs: expMs + 60_000 }).ids).toHaveLength(3);
    expect(thrownBy(() => verify(chain(), { nowMs: expMs + 60_001 })).code).toBe('WRIT_EXPIRED');
    expect(verify(chain(), { nowMs: iatMs - 60_000 }).ids).toHaveLength(3);
    expect(thrownBy(() => verify(chain(), { nowMs: iatMs - 60_001 })).details).toEqual({ hop: 1, field: 'iat' });
  });

  it('signed with another node’s certificates, or by a key that its identity does not certify, is refused', async () => {
    const claims = next(next(first(), chain()[0] ?? '', b, c), chain()[1] ?? '', c, d);
    const context = { identityKey: d.root.key, id: c.id, nowMs: check.nowMs, random: createSystemRandom() };
    const forgedLeaf = await issueLeafCertificate(context, 'signing', spkiOf(d.signing.key), spkiOf(c.root.key));
    const forgeries: readonly [Uint8Array, Uint8Array, TestNode][] = [
      [c.root.certificateDer, c.identity.signingCertificate(), d],
      [c.root.certificateDer, d.identity.signingCertificate(), d],
      [d.root.certificateDer, d.identity.signingCertificate(), d],
      [c.root.certificateDer, forgedLeaf, d],
      [c.identity.signingCertificate(), c.identity.signingCertificate(), c],
      [c.root.certificateDer, c.root.certificateDer, c],
      [c.root.certificateDer, c.signing.certificateDer.subarray(1), c],
    ];
    for (const [identityDer, signingDer, by] of forgeries) {
      const forged = formatWrit(
        'writ1',
        { identityDer, signingDer, claims: JSON.parse(canonicalJson(claims as never)) },
        (data) => sign(null, data, by.signing.key),
      );
      const error = thrownBy(() => verify([...chain().slice(0, 2), forged]));
      expect(error.code).toBe('WRIT_INVALID');
      // One is signed well, by somebody else; of the others it is said what does not prove its signer.
      const isOthers = identityDer === d.root.certificateDer;
      expect(error.message).toMatch(isOthers ? /^hop 3: iss: / : /^hop 3: (identity|signing|signature): /);
    }
  });

  it('is refused with any one character of it changed, in every hop', () => {
    const good = chain();
    let tried = 0;
    for (let hop = 0; hop < good.length; hop++) {
      const compact = good[hop] ?? '';
      for (let i = hop; i < compact.length; i += 7) {
        const forged = `${compact.slice(0, i)}${compact[i] === 'A' ? 'B' : 'A'}${compact.slice(i + 1)}`;
        const compacts = good.map((one, at) => (at === hop ? forged : one));
        expect(thrownBy(() => verify(compacts)).code).toMatch(/^(WRIT_INVALID|CHAIN_MISMATCH)$/);
        tried++;
      }
    }
    expect(tried).toBeGreaterThan(500);
  });

  it('has one spelling: padding, white space, other orders and doubled keys are refused', () => {
    const [one = '', two = '', three = ''] = chain();
    const [mark, header, claims = '', signature] = three.split('.');
    const text = Buffer.from(claims, 'base64url').toString();
    const respelled = [
      text.replace('{', '{ '),
      text.replace('"v":1', '"v":1.0'),
      text.replace('"v":1', '"v":1,"v":1'),
      `${text}\n`,
      `\ufeff${text}`,
      JSON.stringify(Object.fromEntries(Object.entries(JSON.parse(text)).reverse())),
      text.replace('"agent"', '"\\u0061gent"'),
    ];
    for (const json of respelled) {
      const signed = `${mark}.${header}.${Buffer.from(json).toString('base64url')}`;
      const resigned = `${signed}.${Buffer.from(sign(null, Buffer.from(signed), c.signing.key)).toString('base64url')}`;
      expect(thrownBy(() => verify([one, two, resigned])).message).toBe('hop 3: claims: not canonical json');
    }
    for (const other of [
      `${three}=`,
      ` ${three}`,
      `${three}\n`,
      `${three}.`,
      three.replace('writ1', 'writ2'),
      '....',
    ]) {
      expect(thrownBy(() => verify([one, two, other])).code).toBe('WRIT_INVALID');
    }
    expect(thrownBy(() => verify([one, two, `${mark}.${header}.${claims}.${signature}A`])).code).toBe('WRIT_INVALID');
    expect(thrownBy(() => verify([one, two, 'x'.repeat(1_000_000)])).code).toBe('WRIT_INVALID');
  });

  it('is not signed by a node in the name of another, nor with claims that no verifier would take', () => {
    expect(thrownBy(() => issueWrit(b.identity, first()))).toMatchObject({
      code: 'WRIT_INVALID',
      message: `cannot sign a writ of ${a.id}: this node is ${b.id}`,
    });
    expect(thrownBy(() => issueWrit(a.identity, { ...first(), session: '' }))).toMatchObject({
      code: 'WRIT_INVALID',
      message: 'cannot sign this writ: session: not a printable id',
    });
  });

  it('has its sets in one order whatever order they were given in', () => {
    const { grant, ...rest } = first();
    const mixed = { ...rest, grant: { ...grant, closure: [...grant.closure, ...grant.closure].reverse() } };
    expect(issueWrit(a.identity, mixed)).toBe(issueWrit(a.identity, first()));
    expect(issueWrit(a.identity, { ...first(), workspace: undefined, profile: undefined } as WritClaims)).toMatch(
      /^writ1/,
    );
  });
});
