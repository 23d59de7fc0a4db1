import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { createCommandClassifier } from '../classification/classify.ts';
import { testGrammar } from '../testing/shell-grammar.ts';
import { checkCommandCase } from './command-cases.ts';
import { checkPolicyCase } from './policy-cases.ts';
import { readCommandCases, readPolicyCases } from './read-cases.ts';
import { reportOf } from './types.ts';

const read = (name: string): string => readFileSync(new URL(`../../cases/${name}`, import.meta.url), 'utf8');

const grammar = await testGrammar();

describe('policy case', () => {
  it.each(readPolicyCases(read('policy.json')))('$name', (one) => {
    const checks = checkPolicyCase(one);
    expect(checks.length).toBeGreaterThan(0);
    expect(checks.filter(({ ok }) => !ok)).toEqual([]);
  });
});

describe('command case', () => {
  it.each(readCommandCases(read('commands.json')))('%j', (one) => {
    const { expected, got } = checkCommandCase(createCommandClassifier({ grammar }), one);
    expect(got).toBe(expected);
  });
});

describe('a file of cases', () => {
  const toml = 'schema = 1\n[node]\nname = "box"\n';

  it('fails where something else comes out, and says what', () => {
    const checks = [
      ...checkPolicyCase({ name: 'a', toml, load: 'ok', decide: [{ from: 'x', expect: 'deny:PEER_UNKNOWN' }] }),
      ...checkPolicyCase({
        name: 'b',
        toml,
        load: [{ code: 'BAD_VALUE' }],
        decide: [{ from: 'x', expect: 'allow:y' }],
      }),
      ...checkPolicyCase({ name: 'c', toml: `${toml}x = 1\n`, load: [{ code: 'UNKNOWN_KEY', path: 'node.y' }] }),
      ...checkPolicyCase({ name: 'd', toml: `${toml}x = 1\ny = 2\n`, load: [{ code: 'UNKNOWN_KEY', path: 'node.x' }] }),
      ...checkPolicyCase({ name: 'e', toml: `${toml}x = 1\n`, load: 'ok', decide: [{ from: 'x', expect: 'allow:y' }] }),
    ];
    expect(reportOf(checks)).toEqual({
      passed: 2,
      failed: 6,
      failures: [
        { name: 'b: loads', expected: 'BAD_VALUE', got: 'ok' },
        { name: 'b: x asks for the default', expected: 'allow:y', got: 'deny:PEER_UNKNOWN' },
        { name: 'c: loads', expected: 'UNKNOWN_KEY at node.y', got: 'UNKNOWN_KEY at node.x' },
        { name: 'd: loads', expected: 'UNKNOWN_KEY at node.x', got: 'UNKNOWN_KEY at node.x, UNKNOWN_KEY at node.y' },
        { name: 'e: loads', expected: 'ok', got: 'UNKNOWN_KEY at node.x' },
        { name: 'e: x asks for the default', expected: 'allow:y', got: 'not loaded' },
      ],
    });
  });

  it.each(['', '{}', '[1]', '[{}]', '[{"argv":[1],"class":"read"}]', '[{"argv":["a"],"class":1}]'])(
    'is refused where it is none: %s',
    (text) => {
      expect(() => readCommandCases(text)).toThrow(expect.objectContaining({ code: 'BAD_REQUEST' }));
      expect(() => readPolicyCases(text)).toThrow(expect.objectContaining({ code: 'BAD_REQUEST' }));
    },
  );

  it.each([
    { load: 'no' },
    { load: [1] },
    { toml: 1 },
    { decide: 1 },
    { decide: [1] },
    { decide: [{ from: 'a' }] },
    { decide: [{ from: 'a', expect: 'b', chain: [1] }] },
    { decide: [{ from: 'a', expect: 'b', profile: 1 }] },
    { decide: [{ from: 'a', expect: 'b', usage: { concurrent: 'x' } }] },
  ])('is refused where a policy case is none: %j', (change) => {
    const text = JSON.stringify([{ name: 'a', toml: '', load: 'ok', ...change }]);
    expect(() => readPolicyCases(text)).toThrow(expect.objectContaining({ code: 'BAD_REQUEST' }));
  });
});
