import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { formatResult, parseResult } from './result.ts';
import { type Result, resultJsonSchema } from './result-schema.ts';
import { createEvidenceNodes, type EvidenceNodes } from './testing/nodes.ts';

/** As the formatter of this repository writes JSON: short lists on one line. */
const printed = (value: unknown): string =>
  `${JSON.stringify(value, null, 2).replace(/\[\n\s+("[^"{]*"(?:,\n\s+"[^"{]*")*)\n\s+\]/g, (whole, list: string) => {
    const line = `[${list.replace(/,\n\s+/g, ', ')}]`;
    return line.length > 100 ? whole : line;
  })}\n`;

describe('result.v1.json', () => {
  let nodes: EvidenceNodes;
  let good: Result;
  beforeAll(async () => {
    nodes = await createEvidenceNodes(2);
    good = nodes.sign(nodes.nodes).result;
  });
  afterAll(() => nodes.remove());

  it('has the JSON Schema that stands in docs/schemas; `vitest -u` writes it', async () => {
    const schema = resultJsonSchema();
    await expect(printed(schema)).toMatchFileSnapshot('../../../docs/schemas/result.v1.schema.json');
    const objects: Record<string, unknown>[] = [];
    JSON.stringify(schema, (_, value) => {
      if (value?.type === 'object') objects.push(value);
      return value;
    });
    expect(objects.length).toBeGreaterThan(15);
    for (const object of objects) {
      expect(object.additionalProperties).toBe(false);
      // What came after the first results were signed stands there only where it says something.
      const always = Object.keys(object.properties as object).filter(
        (key) => key !== 'unseparated' && key !== 'refused',
      );
      expect([...(object.required as string[])].sort()).toEqual(always.sort());
    }
  });

  it('is read as it was written, in one spelling', () => {
    const bytes = formatResult(good);
    expect(parseResult(bytes)).toEqual(good);
    for (const other of [
      `${bytes} `,
      ` ${bytes}`,
      `\ufeff${bytes}`,
      '{}',
      'null',
      '',
      '[',
      JSON.stringify(good, null, 1),
    ]) {
      expect(() => parseResult(Buffer.from(other)), other.slice(0, 20)).toThrow(/^result: /);
    }
    expect(() => parseResult(Buffer.from([0xff, 0xfe]))).toThrow('result: it is not canonical json');
  });

  const wrong: [string, (result: Result) => object][] = [
    ['unrecognized key', (r) => ({ ...r, extra: 1 })],
    ['unrecognized key', (r) => ({ ...r, outcome: { ...r.outcome, extra: 1 } })],
    ['version', (r) => ({ ...r, version: 2 })],
    ['unseparated: ', (r) => ({ ...r, lease: 'l-1', unseparated: false })],
    ['unseparated, and nobody decided anything', (r) => ({ ...r, unseparated: true })],
    [
      'an approval is named twice',
      (r) => ({ ...r, approvals: [1, 2].map((n) => ({ id: 'a-1', digest: String(n).repeat(64) })) }),
    ],
    ['a success without evidence', (r) => ({ ...r, changes: { kind: 'uncollected', step: 'add' } })],
    ['a success has no code', (r) => ({ ...r, outcome: { ...r.outcome, code: 'LOST' } })],
    ['a success has no code', (r) => ({ ...r, outcome: { ...r.outcome, state: 'failed' } })],
    ['did not end well', (r) => ({ ...r, exit: { kind: 'exit', exitCode: 1 } })],
    ['did not end well', (r) => ({ ...r, exit: { kind: 'timeout', timeoutMs: 1 } })],
    ['as many writs', (r) => ({ ...r, writs: [] })],
    ['twice', (r) => ({ ...r, chain: [r.node] })],
    ['begin at the origin', (r) => ({ ...r, origin: r.node })],
    ['one name', (r) => ({ ...r, artifacts: [...r.artifacts, ...r.artifacts] })],
    ['changes.files', (r) => ({ ...r, changes: { ...r.changes, files: [] } })],
    ['changes.bundle', (r) => ({ ...r, changes: { ...r.changes, bundle: undefined } })],
    ['changes', (r) => ({ ...r, changes: { ...r.changes, kind: 'none' } })],
    ['nonce', (r) => ({ ...r, nonce: 'x' })],
    ['times.endedAtMs', (r) => ({ ...r, times: { ...r.times, endedAtMs: -1 } })],
  ];
  it('is neither written nor read where it contradicts itself or its schema', () => {
    for (const [message, change] of wrong) {
      const bad = JSON.parse(JSON.stringify(change(good))) as Result;
      expect(() => formatResult(bad), message).toThrow(expect.objectContaining({ code: 'EVIDENCE_FAILED' }));
      expect(() => formatResult(bad)).toThrow(message);
      const bytes = Buffer.from(canonical(bad));
      expect(() => parseResult(bytes), message).toThrow(expect.objectContaining({ code: 'EVIDENCE_INVALID' }));
    }
  });

  it('says failure and truncation both', () => {
    const both: Result = {
      ...good,
      truncated: true,
      outcome: { state: 'failed', code: 'WORKER_FAILED', message: 'exit 1' },
      exit: { kind: 'exit', exitCode: 1 },
    };
    expect(parseResult(formatResult(both))).toEqual(both);
  });
});

/** Keys in order, as RFC 8785 wants; enough for what stands here. */
function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join()}]`;
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${entries.map(([key, one]) => `${JSON.stringify(key)}:${canonical(one)}`).join()}}`;
}
