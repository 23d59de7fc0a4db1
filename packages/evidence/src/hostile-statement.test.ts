import { canonicalJson, type Json } from '@writ/core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { formatEnvelope, parseEnvelope, preAuthEncoding } from './dsse.ts';
import { readResult } from './read-result.ts';
import { verifyReceipt } from './receipt.ts';
import { RESULT_LISTS, type Result, resultJsonSchema } from './result-schema.ts';
import { verifySessionEnd } from './session-end.ts';
import { formatStatement, PAYLOAD_TYPE, parseStatement } from './statement.ts';
import { CHANGED, createEvidenceNodes, type EvidenceNodes } from './testing/nodes.ts';
import { verifyEnvelope } from './verify.ts';

/** Time of the processor: ten times what the longest honest one takes; with an error of every member each takes longer. */
const PATIENCE_MS = 6_000;
const MIB = 1024 * 1024;
const INVALID = expect.objectContaining({ code: 'EVIDENCE_INVALID' });

describe('what a peer has signed, whatever stands in it', () => {
  let nodes: EvidenceNodes;
  let good: Result;
  beforeAll(async () => {
    nodes = await createEvidenceNodes(2);
    good = nodes.sign(nodes.nodes).result;
  });
  afterAll(() => nodes.remove());

  /** The JSON `[MEMBER,MEMBER,…]`, as long as it is allowed to be. */
  const filled = (member: string, bytes = 12 * MIB): string =>
    `[${member}${`,${member}`.repeat(Math.floor(bytes / (member.length + 1)))}]`;
  const SPOT = '"here"';
  /** The statement about a result with JSON of another's making in one place. */
  const statementWith = (put: (result: Result) => object, json: string): Buffer => {
    const payload = { ...JSON.parse(formatStatement(good).toString()), predicate: put(good) };
    return Buffer.from(canonicalJson(payload as unknown as Json).replace(SPOT, json));
  };
  const signedBy = (payload: Uint8Array, payloadType = PAYLOAD_TYPE): Uint8Array => {
    const [, liar] = nodes.nodes;
    if (liar === undefined) throw new Error('no such node');
    const honest = parseEnvelope(nodes.sign(nodes.nodes).envelope);
    return formatEnvelope({
      ...honest,
      ...{ payload, payloadType, signature: liar.sign(preAuthEncoding(payloadType, payload)) },
    });
  };
  const timed = (run: () => unknown, what: string): void => {
    const before = process.cpuUsage();
    expect(run, what).toThrow(INVALID);
    expect(process.cpuUsage(before).user / 1000, what).toBeLessThan(PATIENCE_MS);
  };
  const listAt: [string, (result: Result) => object][] = [
    ['files', (r) => ({ ...r, changes: { ...r.changes, files: 'here' } })],
    ['refused', (r) => ({ ...r, changes: { ...r.changes, refused: 'here' } })],
    ['approvals', (r) => ({ ...r, approvals: 'here' })],
    ['artifacts', (r) => ({ ...r, artifacts: 'here' })],
    ['children', (r) => ({ ...r, children: 'here' })],
    ['writs', (r) => ({ ...r, writs: 'here' })],
    ['chain', (r) => ({ ...r, chain: 'here' })],
    ['a key that does not belong there', (r) => ({ ...r, zzz: 'here' })],
  ];

  it('is tried with every list that there is', () => {
    const found = new Set<string>();
    const look = (schema: unknown, path: readonly string[]): void => {
      if (typeof schema !== 'object' || schema === null) return;
      const { type, properties, anyOf, oneOf } = schema as Record<string, unknown>;
      if (type === 'array') found.add(path.at(-1) ?? '');
      for (const [key, inner] of Object.entries(properties ?? {})) look(inner, [...path, key]);
      for (const inner of [...((anyOf ?? []) as unknown[]), ...((oneOf ?? []) as unknown[])]) look(inner, path);
    };
    look(resultJsonSchema(), []);
    expect([...found].sort()).toEqual([...Object.keys(RESULT_LISTS), 'chain', 'writs'].sort());
    expect(listAt.map(([name]) => name)).toEqual(expect.arrayContaining([...found]));
  });

  it('is refused in the time that it takes to read it', () => {
    for (const member of ['1', '{}']) {
      const list = filled(member);
      for (const [what, put] of listAt) timed(() => parseStatement(statementWith(put, list)), `${what} ${member}`);
      const subject = `"subject":${list}`;
      const payload = formatStatement(good)
        .toString()
        .replace(/"subject":\[.*\]/, subject);
      timed(() => parseStatement(Buffer.from(payload)), `subject ${member}`);
    }
  });

  it('is refused as quickly where no list is longer than it may be', () => {
    const of = (member: string, most: number): string => filled(member, most * (member.length + 1) - member.length - 1);
    for (const member of ['1', '{}', '{"path":1}']) {
      for (const [what, put] of listAt.slice(0, 5)) {
        const most = RESULT_LISTS[what as keyof typeof RESULT_LISTS];
        expect(JSON.parse(of(member, most))).toHaveLength(most);
        timed(() => parseStatement(statementWith(put, of(member, most))), `${what} ${member}`);
      }
    }
  });

  it('says of what is wrong with it no more than a line', () => {
    const keys = Array.from({ length: 100_000 }, (_, at) => `"k${String(at).padStart(6, '0')}":1`).join();
    const payload = statementWith((r) => ({ ...r, lease: 'here' }), `{${keys}}`);
    const strange = { ...good, ...JSON.parse(`{${keys}}`) };
    const statement = { ...JSON.parse(formatStatement(good).toString()), predicate: strange };
    for (const bytes of [payload, Buffer.from(canonicalJson(statement))]) {
      let said = '';
      try {
        parseStatement(bytes);
      } catch (error) {
        said = String(error);
      }
      expect(said).toMatch(/^WritError: result: /);
      expect(said.length).toBeLessThan(1000);
    }
  });

  it('by a key that is known is no other case', () => {
    const envelope = signedBy(statementWith((r) => ({ ...r, artifacts: 'here' }), filled('{}', 11 * MIB)));
    const expected = { task: good.task, nonce: good.nonce };
    const [self, peer] = nodes.nodes;
    if (self === undefined || peer === undefined) throw new Error('no such node');
    const trust = nodes.trust(self, peer);
    timed(() => verifyEnvelope({ envelope, expected, trust, nowMs: nodes.clock.nowMs() }), 'verified');
    timed(() => readResult(envelope), 'read from a store');
  });

  it('of few words is short', () => {
    const nowMs = nodes.clock.nowMs();
    const cases: [string, (envelope: Uint8Array) => unknown][] = [
      ['application/vnd.writ.receipt+json', (envelope) => verifyReceipt(envelope, nowMs)],
      ['application/vnd.writ.session-end+json', (envelope) => verifySessionEnd(envelope, nowMs)],
    ];
    for (const [type, verify] of cases) {
      timed(() => verify(signedBy(Buffer.from(filled('1')), type)), type);
      expect(() => verify(signedBy(Buffer.from(filled('1', 100_000)), type))).toThrow('longer than 65536 bytes');
      expect(() => verify(signedBy(Buffer.from(filled('1', 100)), type))).toThrow('more than 16 values');
    }
  });

  it('and envelopes are counted before they are read', () => {
    const { signatures, ...rest } = JSON.parse(Buffer.from(nodes.sign(nodes.nodes).envelope).toString());
    const many = Buffer.from(canonicalJson({ ...rest, signatures: 'here' }).replace(SPOT, filled('{}')));
    timed(() => parseEnvelope(many), 'signatures');
    const long = { ...rest, signatures: [{ ...signatures[0], identity: 'A'.repeat(20_000) }] };
    expect(() => parseEnvelope(Buffer.from(canonicalJson(long)))).toThrow('no envelope with one signature');
  });

  it('is taken where all of its lists are as long as they may be', () => {
    const named = (at: number): string => at.toString(16).padStart(64, '0');
    const many = <T>(count: number, make: (at: number) => T): T[] => Array.from({ length: count }, (_, at) => make(at));
    const whole: Result = {
      ...good,
      approvals: many(RESULT_LISTS.approvals, (at) => ({ id: `a-${at}`, digest: named(at) })),
      changes: {
        ...(CHANGED as Extract<Result['changes'], { kind: 'changed' }>),
        files: many(RESULT_LISTS.files, (at) => ({
          ...{ path: `src/folder/${at}.ts`, encoding: 'utf8', status: 'M', oldMode: '100644', mode: '100644' },
          ...{ insertions: at, deletions: null },
        })),
        refused: many(RESULT_LISTS.refused, (at) => ({ path: `x/${at}/.git`, encoding: 'utf8' })),
      },
      artifacts: many(RESULT_LISTS.artifacts, (at) => ({ name: `out/${at}`, sha256: named(at), bytes: at })),
      children: many(RESULT_LISTS.children, (at) => ({
        ...{ task: `t-${at}`, node: good.node, nonce: named(at).slice(32), envelope: named(at) },
      })),
    };
    expect(parseStatement(formatStatement(whole))).toEqual(whole);
  });
});
