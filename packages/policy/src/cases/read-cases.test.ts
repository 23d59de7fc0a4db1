import { describe, expect, it } from 'vitest';
import { caseChainId, caseNodeId } from './case-ids.ts';
import { readCommandCases, readPolicyCases } from './read-cases.ts';

const COMMAND = { argv: ['ls', '-l'], class: 'read' };
const POLICY = { name: 'one', toml: 'schema = 1', load: 'ok' };
const DECIDE = { from: 'laptop', expect: 'allow:query' };

const told = (read: (text: string) => unknown, value: unknown): string => {
  try {
    read(JSON.stringify(value));
    return 'read';
  } catch (error) {
    return (error as Error).message;
  }
};

describe('a file of cases', () => {
  it.each([[{}], ['x'], [null], [1]])('is a list, and not %j', (value) => {
    expect(told(readCommandCases, value)).toBe('a file of cases is a JSON list');
    expect(told(readPolicyCases, value)).toBe('a file of cases is a JSON list');
  });

  it.each([
    ['', 'the file of cases is empty'],
    [' \n', 'the file of cases is empty'],
    ['[]', 'the file of cases holds no case'],
  ])('has a case at least, which %j has not', (text, message) => {
    for (const read of [readCommandCases, readPolicyCases]) {
      const nextSteps = [expect.stringMatching(/^write a JSON list of cases, such as \[\{ "/)];
      expect(() => read(text)).toThrowError(expect.objectContaining({ code: 'BAD_REQUEST', message, nextSteps }));
    }
  });

  it('is JSON, and what the parser says of it is kept', () => {
    expect(() => readCommandCases('[')).toThrowError(
      expect.objectContaining({ message: 'a file of cases is a JSON list', cause: expect.any(SyntaxError) }),
    );
  });

  it('says which case is none, and how it begins', () => {
    const [long] = [{ ...COMMAND, class: 7, more: 'x'.repeat(200) }];
    expect(told(readCommandCases, [COMMAND, long, COMMAND])).toBe(
      `case 2 of 3 is none: \`${JSON.stringify(long).slice(0, 80)}\``,
    );
  });
});

describe('a case of a command', () => {
  it.each([[COMMAND], [{ ...COMMAND, target: 'self/service/nginx' }], [{ argv: [], class: 'x' }]])('is %j', (value) => {
    expect(readCommandCases(JSON.stringify([value]))).toEqual([value]);
  });
  it.each([
    [{ class: 'read' }],
    [{ argv: 'ls', class: 'read' }],
    [{ argv: ['ls', 7], class: 'read' }],
    [{ argv: ['ls'] }],
    [{ ...COMMAND, target: 7 }],
    [null],
    [7],
    ['ls'],
    [[COMMAND]],
  ])('is not %j', (value) => {
    expect(told(readCommandCases, [value])).toMatch(/^case 1 of 1 is none/);
  });
});

describe('a case of a policy', () => {
  it.each([
    [POLICY],
    [{ ...POLICY, load: [] }],
    [{ ...POLICY, load: [{ code: 'BAD_NAME' }, { code: 'BAD_VALUE', line: 3 }] }],
    [{ ...POLICY, decide: [] }],
    [
      {
        ...POLICY,
        decide: [DECIDE, { ...DECIDE, chain: ['a'], grant: ['b'], profile: 'p', runner: 'r', workspace: 'w' }],
      },
    ],
    [{ ...POLICY, decide: [{ ...DECIDE, usage: { requests: 3, live: 0 } }] }],
    [{ ...POLICY, decide: [{ ...DECIDE, usage: {} }] }],
  ])('is %j', (value) => {
    expect(readPolicyCases(JSON.stringify([value]))).toEqual([value]);
  });
  it.each([
    [{ toml: '', load: 'ok' }],
    [{ name: 'one', load: 'ok' }],
    [{ ...POLICY, toml: 7 }],
    [{ ...POLICY, load: undefined }],
    [{ ...POLICY, load: 'fine' }],
    [{ ...POLICY, load: [{ code: 'BAD_NAME' }, { line: 3 }] }],
    [{ ...POLICY, load: ['BAD_NAME'] }],
    [{ ...POLICY, load: [null] }],
    [{ ...POLICY, load: {} }],
    [{ ...POLICY, decide: DECIDE }],
    [{ ...POLICY, decide: [DECIDE, {}] }],
    [{ ...POLICY, decide: [null] }],
    [{ ...POLICY, decide: [{ from: 'laptop' }] }],
    [{ ...POLICY, decide: [{ expect: 'allow' }] }],
    [{ ...POLICY, decide: [{ ...DECIDE, chain: 'a' }] }],
    [{ ...POLICY, decide: [{ ...DECIDE, grant: [7] }] }],
    [{ ...POLICY, decide: [{ ...DECIDE, profile: 7 }] }],
    [{ ...POLICY, decide: [{ ...DECIDE, runner: 7 }] }],
    [{ ...POLICY, decide: [{ ...DECIDE, workspace: 7 }] }],
    [{ ...POLICY, decide: [{ ...DECIDE, usage: 7 }] }],
    [{ ...POLICY, decide: [{ ...DECIDE, usage: { requests: 3, live: 'x' } }] }],
    [{ ...POLICY, decide: [{ ...DECIDE, usage: [1] }] }],
  ])('is not %j', (value) => {
    expect(told(readPolicyCases, [value])).toMatch(/^case 1 of 1 is none/);
  });
});

describe('ids of cases', () => {
  it('are the same for one label, in the letter case of the label', () => {
    expect(caseChainId('laptop')).toBe(caseNodeId('laptop'));
    expect(caseChainId('LAPTOP')).toBe(caseNodeId('laptop').toUpperCase());
    expect(caseChainId('self')).toBe(caseNodeId('the deciding node'));
    expect(caseChainId('SELF')).toBe(caseNodeId('the deciding node').toUpperCase());
    expect(caseNodeId('laptop')).toMatch(/^wn-[a-z2-7]+$/);
    expect(caseNodeId('laptop')).not.toBe(caseNodeId('desk'));
  });
});
