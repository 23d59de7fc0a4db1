import { afterAll, beforeAll, expect, it } from 'vitest';
import { parseEnvelope } from './dsse.ts';
import { parseResult } from './result.ts';
import { faultInLists } from './result-lists.ts';
import { RESULT_LISTS, type Result, resultJsonSchema } from './result-schema.ts';
import { createEvidenceNodes, type EvidenceNodes } from './testing/nodes.ts';

/** By the schema alone so many took twenty seconds and more. */
const MANY = 100_000;
const MOST_CPU_MS = 2000;

let nodes: EvidenceNodes;
let good: Result;
beforeAll(async () => {
  nodes = await createEvidenceNodes(2);
  good = nodes.sign(nodes.nodes).result;
});
afterAll(() => nodes.remove());

/** A result with this list in it, as bytes of which nobody knows yet that they are none. */
function withList(path: readonly string[], list: readonly unknown[]): Buffer {
  const result = structuredClone(good) as unknown as Record<string, unknown>;
  const [last = '', ...outer] = [...path].reverse();
  const holder = outer.reduceRight((held, key) => held[key] as Record<string, unknown>, result);
  holder[last] = list;
  return Buffer.from(JSON.stringify(sorted(result)));
}

function sorted(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(sorted);
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, member]) => [key, sorted(member)]),
  );
}

it('knows every list of the schema', () => {
  const found = new Set<string>();
  const look = (schema: unknown, path: readonly string[]): void => {
    if (typeof schema !== 'object' || schema === null) return;
    const { type, properties, anyOf, oneOf } = schema as Record<string, unknown>;
    if (type === 'array') found.add(path.join('.'));
    for (const [key, inner] of Object.entries(properties ?? {})) look(inner, [...path, key]);
    for (const inner of [...((anyOf ?? []) as unknown[]), ...((oneOf ?? []) as unknown[])]) look(inner, path);
  };
  look(resultJsonSchema(), []);
  expect([...found].sort()).toEqual(RESULT_LISTS.map(({ path }) => path.join('.')).sort());
});

it.each(RESULT_LISTS.map(({ path, most }) => [path, most] as const))(
  'a list of what is none is refused at its first, however long it is: %s',
  (path, most) => {
    for (const element of [1, {}]) {
      const bytes = withList(path, Array(Math.min(MANY, most)).fill(element));
      const before = process.cpuUsage();
      expect(() => parseResult(bytes)).toThrow(`result: ${path.join('.')}.0`);
      expect(process.cpuUsage(before).user / 1000).toBeLessThan(MOST_CPU_MS);
    }
    expect(faultInLists(JSON.parse(withList(path, Array(most + 1).fill(1)).toString()))).toEqual({
      ...{ field: path.join('.'), why: `more than ${most} of them` },
    });
  },
);

it('what is no list is the schema’s to refuse', () => {
  expect(faultInLists(good)).toBeUndefined();
  for (const value of [null, 1, [], { changes: null }, { changes: { files: 1 }, chain: {} }]) {
    expect(faultInLists(value)).toBeUndefined();
  }
});

it('an envelope has one signature, and no result millions of values: they are counted before they are read', () => {
  const signatures = Array(1_000_000).fill(1).join(',');
  const before = process.cpuUsage();
  expect(() => parseEnvelope(Buffer.from(`{"payload":"","payloadType":"","signatures":[${signatures}]}`))).toThrow(
    'envelope: it is not canonical json',
  );
  expect(process.cpuUsage(before).user / 1000).toBeLessThan(500);
  expect(() => parseResult(Buffer.from(`[${'1,'.repeat(3_000_000)}1]`))).toThrow('result: it is not canonical json');
});

it('keys that do not belong there are told in a few words', () => {
  const extra = Object.fromEntries(Array.from({ length: 10_000 }, (_, index) => [`key-${index}`, 1]));
  const bytes = Buffer.from(JSON.stringify(sorted({ ...good, ...extra })));
  expect(() => parseResult(bytes)).toThrow(/^result: result: unrecognized key.{100,480}$/);
});
