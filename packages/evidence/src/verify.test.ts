import { createPublicKey, verify as verifySignature } from 'node:crypto';
import { canonicalJson, isWritError, type Json, sha256Hex, type WritError } from '@writ/core';
import type { NodeIdentity } from '@writ/identity';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Envelope, formatEnvelope, parseEnvelope, preAuthEncoding } from './dsse.ts';
import type { SignedResult } from './sign.ts';
import { formatStatement, PAYLOAD_TYPE } from './statement.ts';
import { CHANGED, createEvidenceNodes, digestOf, type EvidenceNodes } from './testing/nodes.ts';
import { type Expected, type Trust, verifyEnvelope } from './verify.ts';
import { verifyTree } from './verify-tree.ts';

describe('a signed result', () => {
  let nodes: EvidenceNodes;
  let a: NodeIdentity;
  let b: NodeIdentity;
  let c: NodeIdentity;
  let d: NodeIdentity;
  let signed: SignedResult;
  beforeAll(async () => {
    nodes = await createEvidenceNodes(4);
    [a, b, c, d] = nodes.nodes as [NodeIdentity, NodeIdentity, NodeIdentity, NodeIdentity];
    signed = nodes.sign([a, b]);
  });
  afterAll(() => nodes.remove());

  const expected: Expected = { task: 'task-1', nonce: '1'.repeat(32) };
  const verify = (envelope: Uint8Array, more: { expected?: Expected; trust?: Trust; nowMs?: number } = {}) =>
    verifyEnvelope({ envelope, expected, trust: nodes.trust(a, b), nowMs: nodes.clock.nowMs(), ...more });
  const thrownBy = (run: () => unknown): WritError => {
    try {
      run();
    } catch (error) {
      if (isWritError(error, 'EVIDENCE_INVALID')) return error;
      throw error;
    }
    throw new Error('nothing was thrown');
  };
  const checkOf = (run: () => unknown): unknown => thrownBy(run).details.check;
  const checkOfTree = (verifying: Promise<unknown>): Promise<unknown> =>
    verifying.then(
      () => 'none',
      (error: WritError) => error.details.check,
    );
  /** Signs any payload as `by` would if it lied. */
  const lie = (by: NodeIdentity, payload: Uint8Array, more: Partial<Envelope> = {}): Uint8Array => {
    const honest = parseEnvelope(nodes.sign([a, by]).envelope);
    const signature = by.sign(preAuthEncoding(more.payloadType ?? PAYLOAD_TYPE, payload));
    return formatEnvelope({ ...honest, payload, signature, ...more });
  };
  const respelled = (change: (value: { [key: string]: Json }) => Json): Uint8Array =>
    Buffer.from(canonicalJson(change(JSON.parse(Buffer.from(signed.envelope).toString()))));

  it('encodes and signs as the DSSE specification does in its own example', () => {
    const type = 'http://example.com/HelloWorld';
    const encoded = preAuthEncoding(type, Buffer.from('hello world'));
    expect(Buffer.from(encoded).toString()).toBe(`DSSEv1 29 ${type} 11 hello world`);
    const coordinate = (decimal: string): string =>
      Buffer.from(BigInt(decimal).toString(16).padStart(64, '0'), 'hex').toString('base64url');
    const key = createPublicKey({
      format: 'jwk',
      key: {
        kty: 'EC',
        crv: 'P-256',
        x: coordinate('46950820868899156662930047687818585632848591499744589407958293238635476079160'),
        y: coordinate('5640078356564379163099075877009565129882514886557779369047442380624545832820'),
      },
    });
    const signature = Buffer.from(
      'A3JqsQGtVsJ2O2xqrI5IcnXip5GToJ3F+FnZ+O88SjtR6rDAajabZKciJTfUiHqJPcIAriEGAHTVeCUjW2JIZA==',
      'base64',
    );
    expect(verifySignature('sha256', encoded, { key, dsaEncoding: 'ieee-p1363' }, signature)).toBe(true);
    expect(Buffer.from(preAuthEncoding('ü', Buffer.from('ä'))).toString()).toBe('DSSEv1 2 ü 2 ä');
  });

  it('is an in-toto statement about everything that came out', () => {
    const statement = JSON.parse(Buffer.from(parseEnvelope(signed.envelope).payload).toString());
    expect(statement).toMatchObject({ _type: 'https://in-toto.io/Statement/v1', predicate: signed.result });
    expect(statement.subject).toEqual([
      { name: 'head', digest: { gitCommit: '2'.repeat(40) } },
      { name: 'bundle', digest: { sha256: sha256Hex('the bundle') } },
      { name: 'diff', digest: { sha256: sha256Hex('the patch') } },
      { name: 'transcript', digest: { sha256: sha256Hex('transcript') } },
      { name: 'artifact/dist/app.js', digest: { sha256: sha256Hex('app') } },
      { name: 'result.v1.json', digest: { sha256: sha256Hex(canonicalJson(signed.result as unknown as Json)) } },
    ]);
  });

  it('of a pinned node is accepted, also after its writ and its signing key are old', () => {
    expect(verify(signed.envelope)).toEqual({ standing: 'pinned', result: signed.result, sha256: signed.sha256 });
    expect(verify(signed.envelope, { nowMs: nodes.clock.nowMs() + 5 * 365 * 86_400_000 }).standing).toBe('pinned');
    const early = (ms: number) => () => verify(signed.envelope, { nowMs: nodes.clock.nowMs() - ms });
    expect(early(60_000)).not.toThrow();
    expect(early(60_001)).toThrow(expect.objectContaining({ code: 'EVIDENCE_INVALID', details: { check: 'time' } }));
    expect(early(7_200_000)).toThrow(/the clock of its node is 2h ahead/);
  });

  it('of the verifier itself is accepted without any writ', () => {
    const own = nodes.sign([a]);
    const about = { task: 'task-0', nonce: '0'.repeat(32) };
    expect(verify(own.envelope, { expected: about }).standing).toBe('pinned');
    expect(checkOf(() => verify(own.envelope, { expected: about, trust: nodes.trust(b, c) }))).toBe('identity');
  });

  it('of a node that is not pinned is vouched for by a writ that leads back to the verifier', () => {
    const below = nodes.sign([a, b, c]);
    const about = { task: 'task-2', nonce: '2'.repeat(32) };
    expect(verify(below.envelope, { expected: about }).standing).toEqual({ vouchedBy: b.public.id });
    expect(verify(below.envelope, { expected: about, trust: nodes.trust(b) }).standing).toEqual({
      vouchedBy: b.public.id,
    });
    expect(verify(below.envelope, { expected: about, trust: nodes.trust(d, c) }).standing).toBe('pinned');
    expect(thrownBy(() => verify(below.envelope, { expected: about, trust: nodes.trust(d, b) })).message).toBe(
      `result is not verified: identity: ${c.public.id} is not pinned, and no writ leads from this node to it`,
    );
    // A chain that begins elsewhere and only names the verifier as its last audience vouches for nobody.
    const foreign = nodes.sign([d, b, c]);
    expect(checkOf(() => verify(foreign.envelope, { expected: about }))).toBe('identity');
  });

  it('of another task, nonce or subject is refused', () => {
    expect(checkOf(() => verify(signed.envelope, { expected: { ...expected, task: 'task-9' } }))).toBe('task');
    expect(checkOf(() => verify(signed.envelope, { expected: { ...expected, nonce: '9'.repeat(32) } }))).toBe('nonce');
    const subjects = {
      head: '2'.repeat(40),
      bundle: sha256Hex('the bundle'),
      diff: sha256Hex('the patch'),
      transcript: sha256Hex('transcript'),
      'artifact/dist/app.js': sha256Hex('app'),
    };
    expect(verify(signed.envelope, { expected: { ...expected, subjects } }).standing).toBe('pinned');
    for (const name of [...Object.keys(subjects), 'artifact/other']) {
      const others = { ...subjects, [name]: sha256Hex('other') };
      expect(
        checkOf(() => verify(signed.envelope, { expected: { ...expected, subjects: others } })),
        name,
      ).toBe('subject');
    }
  });

  it('with the signature, certificate or identity of another is refused', () => {
    const mine = parseEnvelope(signed.envelope);
    const other = parseEnvelope(nodes.sign([a, c]).envelope);
    const trust = nodes.trust(a, b, c);
    const swapped: [string, Partial<Envelope>][] = [
      ['signature', { signature: other.signature }],
      ['signing', { signingDer: other.signingDer }],
      ['signing', { identityDer: other.identityDer }],
      ['identity', { keyid: other.keyid }],
      [
        'identity',
        {
          signature: c.sign(preAuthEncoding(PAYLOAD_TYPE, mine.payload)),
          signingDer: other.signingDer,
          identityDer: other.identityDer,
        },
      ],
      ['form', { payloadType: 'text/plain' }],
      ['signing', { signingDer: new Uint8Array() }],
      ['signature', { signature: new Uint8Array() }],
    ];
    for (const [check, change] of swapped) {
      expect(
        checkOf(() => verify(formatEnvelope({ ...mine, ...change }), { trust })),
        check,
      ).toBe(check);
    }
    expect(checkOf(() => verify(formatEnvelope({ ...mine, payload: other.payload }), { trust }))).toBe('signature');
  });

  it('is refused where its pinned identity has another certificate', () => {
    const trust: Trust = {
      self: a.public,
      pins: { get: () => ({ id: b.public.id, certificatePem: c.public.certificatePem }) },
    };
    expect(checkOf(() => verify(signed.envelope, { trust }))).toBe('identity');
  });

  it('is refused where an honest key signs what contradicts itself', () => {
    const { result } = signed;
    const statement = JSON.parse(formatStatement(result).toString());
    const payload = (value: unknown): Uint8Array => Buffer.from(canonicalJson(value as Json));
    const lies: [string, unknown][] = [
      ['form', { ...statement, subject: statement.subject.slice(1) }],
      ['form', { ...statement, subject: [...statement.subject].reverse() }],
      ['form', { ...statement, subject: [...statement.subject, { name: 'more', digest: { sha256: sha256Hex('x') } }] }],
      ['form', { ...statement, predicateType: 'https://example.com/other' }],
      ['form', { ...statement, _type: 'https://in-toto.io/Statement/v0.1' }],
      ['form', { ...statement, predicate: { ...result, extra: 1 } }],
      ['form', { ...statement, extra: 1 }],
    ];
    for (const [check, value] of lies) expect(checkOf(() => verify(lie(b, payload(value))))).toBe(check);
    expect(checkOf(() => verify(lie(b, Buffer.from(`${formatStatement(result)} `))))).toBe('form');
  });

  it('is refused where its writs are not those of its chain, task and time', () => {
    const otherTask = nodes.result([a, b]);
    const sign = (more: Partial<typeof otherTask>, about: Expected = expected) =>
      checkOf(() => verify(nodes.sign([a, b], more).envelope, { expected: about, trust: nodes.trust(a, b, c) }));
    expect(sign({ task: 'task-9' }, { ...expected, task: 'task-9' })).toBe('chain');
    expect(sign({ nonce: '9'.repeat(32) }, { ...expected, nonce: '9'.repeat(32) })).toBe('nonce');
    expect(sign({ session: 'session-9' })).toBe('chain');
    expect(sign({ agent: 'agent-9' })).toBe('chain');
    expect(sign({ chain: [c.public.id], origin: c.public.id })).toBe('chain');
    expect(sign({ writs: [...nodes.chain(a, c).writs] })).toBe('chain');
    expect(sign({ writs: [...nodes.chain(c, b).writs] })).toBe('chain');
    expect(sign({ writs: ['writ1.x.y.z'] })).toBe('chain');
    expect(sign({ writs: [''] })).toBe('chain');
    const late = nodes.clock.nowMs() + 3_600_000;
    expect(sign({ times: { acceptedAtMs: late, startedAtMs: late, endedAtMs: late } })).toBe('chain');
  });

  it('has one spelling', () => {
    const text = Buffer.from(signed.envelope).toString();
    const { signatures, payload } = JSON.parse(text);
    const one = signatures[0];
    for (const other of [
      Buffer.from(`${text}\n`),
      Buffer.from(JSON.stringify(JSON.parse(text), null, 1)),
      respelled((value) => ({ ...value, extra: 1 })),
      respelled((value) => ({ ...value, signatures: [one, one] })),
      respelled((value) => ({ ...value, signatures: [] })),
      respelled((value) => ({ ...value, signatures: [{ ...one, sig: one.sig.replace(/==$/, '') }] })),
      respelled((value) => ({
        ...value,
        signatures: [{ ...one, sig: Buffer.from(one.sig, 'base64').toString('base64url') }],
      })),
      respelled((value) => ({
        ...value,
        payload: `${payload}\n`,
      })),
      Buffer.from(''),
      Buffer.from('null'),
    ]) {
      expect(checkOf(() => verify(other))).toBe('form');
    }
  });

  it('is refused with any one bit of it, of its bundle, patch or artifacts flipped', () => {
    // How many bits are flipped in each; all of the small ones, evenly spread over the others.
    const count = Number(process.env.WRIT_TEST_FLIPS ?? 1000);
    const files = { bundle: 'the bundle', diff: 'the patch', 'artifact/dist/app.js': 'app' };
    const digests = (changed: Record<string, Uint8Array>): Record<string, string> =>
      Object.fromEntries(Object.entries(files).map(([name, text]) => [name, sha256Hex(changed[name] ?? text)]));
    expect(verify(signed.envelope, { expected: { ...expected, subjects: digests({}) } }).standing).toBe('pinned');
    let tried = 0;
    let accepted = 0;
    for (const bytes of flips(signed.envelope, count)) {
      tried++;
      try {
        verify(bytes);
        accepted++;
      } catch (error) {
        if (!isWritError(error, 'EVIDENCE_INVALID')) throw error;
      }
    }
    for (const [name, text] of Object.entries(files)) {
      for (const bytes of flips(Buffer.from(text), count)) {
        tried++;
        const subjects = digests({ [name]: bytes });
        if (checkOf(() => verify(signed.envelope, { expected: { ...expected, subjects } })) !== 'subject') accepted++;
      }
    }
    expect(accepted).toBe(0);
    expect(tried).toBeGreaterThanOrEqual(count);
  });

  it('carries the results of what was passed on, and the whole tree verifies from the origin', async () => {
    const leaf = nodes.sign([a, b, c, d], { changes: { kind: 'no-workspace' }, workspace: null });
    const child = (of: SignedResult) => ({
      task: of.result.task,
      node: of.result.node,
      nonce: of.result.nonce,
      envelope: of.sha256,
    });
    const middle = nodes.sign([a, b, c], { children: [child(leaf)] });
    const top = nodes.sign([a, b], { children: [child(middle)] });
    const known = new Map([leaf, middle].map((one) => [one.sha256, one.envelope]));
    const tree = (envelope: Uint8Array, find = (sha256: string) => known.get(sha256)) =>
      verifyTree({ envelope, expected, trust: nodes.trust(a, b), nowMs: nodes.clock.nowMs(), find });
    expect(await tree(top.envelope)).toMatchObject({
      standing: 'pinned',
      children: [
        { standing: { vouchedBy: b.public.id }, children: [{ standing: { vouchedBy: c.public.id }, children: [] }] },
      ],
    });
    expect(await checkOfTree(tree(top.envelope, () => undefined))).toBe('children');
    // Another true result in the place of the one that was signed for.
    const other = nodes.sign([a, b, c], { transcript: digestOf('other') });
    expect(await checkOfTree(tree(top.envelope, () => other.envelope))).toBe('children');
    for (const wrong of [{ node: d.public.id }, { task: 'task-9' }, { nonce: '9'.repeat(32) }]) {
      const bad = nodes.sign([a, b], { children: [{ ...child(middle), ...wrong }] });
      expect(await checkOfTree(tree(bad.envelope))).toMatch(/^(children|task|nonce)$/);
    }
    // A result of another branch of the same origin.
    const stranger = nodes.sign([a, c]);
    const grafted = nodes.sign([a, b], { children: [child(stranger)] });
    known.set(stranger.sha256, stranger.envelope);
    expect(await checkOfTree(tree(grafted.envelope))).toBe('children');
  });

  it('says a bundle exactly where something has changed', () => {
    const none = nodes.sign([a, b], { changes: { kind: 'none', base: null, tree: '3'.repeat(40) } });
    expect(JSON.stringify(none.result)).not.toContain('bundle');
    expect(() =>
      nodes.sign([a, b], { changes: { ...CHANGED, bundle: undefined } as unknown as typeof CHANGED }),
    ).toThrow('changes.bundle');
  });
});

function* flips(bytes: Uint8Array, count: number): Iterable<Uint8Array> {
  const bits = bytes.length * 8;
  const step = Math.max(1, Math.floor(bits / count));
  for (let bit = 0; bit < bits; bit += step) {
    const flipped = Uint8Array.from(bytes);
    flipped[bit >> 3] = (flipped[bit >> 3] ?? 0) ^ (1 << (bit & 7));
    yield flipped;
  }
}
