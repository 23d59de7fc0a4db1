import { sha256Hex } from '@writ/core';
import { type ApprovalView, createControlClient, type OperationOutput } from '@writ/gateway/client';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Terminal } from '../../terminal/terminal.ts';
import { exitCodeOf } from '../exit-codes.ts';
import { type FakeNode, startFakeNode } from '../testing/fake-node.ts';
import { answer, showQuestion } from './answering.ts';
import type { Prover } from './prover.ts';

const APPROVAL: ApprovalView = {
  ...{ id: 'a-1', kind: 'lease', state: 'pending', about: 'lend', requested_by: 'self', agent: 'x', session: 's' },
  ...{ origin: 'o', scopes: ['once'], created_at_ms: 1, expires_at_ms: 61_000, digest: 'd'.repeat(64), generation: 1 },
  preview: 'asked by: me (a-b)\nlend profile: repo-dev',
};
const YES = { answer: 'approve', scope: 'once' } as const;
const prover: Prover = {
  node: 'n',
  prove: () => ({ kind: 'passphrase', approver: 'ap-1', signature: 'sig' }),
  close: () => {},
};

let at: FakeNode;
let statement: OperationOutput<'approval_statement'>['statement'];
beforeEach(async () => {
  at = await startFakeNode();
  const { id: approval, kind, digest, preview, expires_at_ms: expiresAtMs } = APPROVAL;
  statement = { node: 'n', approval, kind, digest, preview: sha256Hex(preview), ...YES, expiresAtMs };
  at.answers = {
    approval_statement: () => ({ statement }),
    approval_decide: () => ({ decided: true, approval: { ...APPROVAL, state: 'approved' } }),
  };
});
afterEach(() => at.stop());

const client = () => createControlClient({ socketPath: at.home.socketFile, token: 'token' });
const sent = (): readonly string[] => at.calls.map(({ name }) => name);

describe('an answer', () => {
  it('is signed over what was shown, and sent', async () => {
    expect((await answer(client(), APPROVAL, YES, prover)).state).toBe('approved');
    expect(at.calls.at(-1)?.input).toMatchObject({ statement, proof: { approver: 'ap-1' } });
  });

  it.each([
    ['question', { approval: 'a-2' }],
    ['node', { node: 'another' }],
    ['time', { expiresAtMs: 62_000 }],
    ['kind', { kind: 'policy' }],
    ['digest', { digest: 'e'.repeat(64) }],
    ['preview', { preview: sha256Hex('another') }],
    ['answer', { answer: 'deny' as const }],
    ['scope', { scope: 'session' as const }],
  ])('is neither signed nor sent for another %s than was shown', async (_, change) => {
    statement = { ...statement, ...change };
    await expect(answer(client(), APPROVAL, YES, prover)).rejects.toMatchObject({ code: 'CHANGED_SINCE_APPROVAL' });
    expect(sent()).toEqual(['approval_statement']);
  });

  it.each([
    ['id', 'WRONG_REQUEST', 2],
    ['id', 'NOT_FOUND', 2],
    ['pending', 'NOT_PENDING', 3],
    ['pending', 'EXPIRED', 3],
    ['pending', 'CLOCK_BACKWARDS', 3],
    ['session', 'NOT_FOUND', 2],
    ['task', 'NOT_FOUND', 2],
    ['digest', 'CHANGED_SINCE_APPROVAL', 3],
    ['policy', 'LEASE_REQUIRED', 3],
    ['scope', 'BAD_REQUEST', 2],
    ['approver', 'NOT_APPROVER', 3],
  ] as const)('that fails the check %s with %s says so, and has its exit code %d', async (check, code, exit) => {
    const message = `why ${check} failed`;
    at.answers.approval_decide = () => ({ decided: false, check, code, message, next_steps: ['do this'] });
    const refused = answer(client(), APPROVAL, YES, prover);
    await expect(refused).rejects.toMatchObject({ code, message, nextSteps: ['do this'] });
    expect(exitCodeOf(code)).toBe(exit);
  });

  it('that came to nothing because writ.toml was changed is no success', async () => {
    const approval = { ...APPROVAL, state: 'approved' as const };
    at.answers.approval_decide = () => ({ decided: true, in_force: false, approval });
    await expect(answer(client(), APPROVAL, YES, prover)).rejects.toMatchObject({
      ...{
        code: 'CONFLICT',
        message: 'the yes came to nothing: writ.toml was changed, or met a fault, before it was in force',
      },
      nextSteps: [
        expect.stringContaining('writ policy status'),
        expect.stringContaining('writ policy reload --accept'),
      ],
    });
    at.answers.approval_decide = () => ({ decided: true, in_force: true, approval });
    expect(await answer(client(), APPROVAL, YES, prover)).toEqual(approval);
  });

  it('that came too late says who was faster', async () => {
    at.answers.approval_decide = () => ({
      ...{ decided: false, check: 'pending', code: 'NOT_PENDING', message: 'it is denied already by ap-2' },
      ...{ next_steps: [], decided_by: 'ap-2', decided_by_label: 'bob' },
    });
    await expect(answer(client(), APPROVAL, YES, prover)).rejects.toMatchObject({
      message: 'it is denied already by ap-2 (`bob`)',
    });
  });
});

describe('what a person is shown', () => {
  const shown = (preview: string): string => {
    const written: string[] = [];
    const terminal = {
      write: (text: string) => void written.push(text),
      size: () => ({ columns: 40, rows: 10 }),
    } as unknown as Terminal;
    showQuestion(terminal, { ...APPROVAL, preview }, 1000);
    return written.join('');
  };

  it('is all of it, line by line, with the time that is left', () => {
    expect(shown(APPROVAL.preview)).toBe(
      '\nlease a-1, to be answered within 1m\n  asked by: me (a-b)\n  lend profile: repo-dev\n',
    );
  });

  it('has a mark in front of every row that goes on with a line, whoever chose where it would be wrapped', () => {
    const fake = ['echo hello', '  program: /usr/bin/true', '  asked by: me'].map((row) => row.padEnd(40)).join('');
    const rows = shown(`argument 0: ${fake}\nargument 1: ${'字'.repeat(30)}\nprogram: /bin/rm`)
      .trimEnd()
      .split('\n')
      .slice(2);
    const [first, further] = [rows.filter((row) => /^ {2}\w/.test(row)), rows.filter((row) => row.startsWith('  | '))];
    expect(first.map((row) => row.split(':')[0])).toEqual(['  argument 0', '  argument 1', '  program']);
    expect(first.length + further.length).toBe(rows.length - 1);
    // Nothing of it is lost, and no row is as wide as the terminal.
    expect(
      rows
        .slice(0, -1)
        .map((row) => row.replace(/^ {2}(\| )?/, ''))
        .join(''),
    ).toContain(fake);
    for (const row of rows.slice(0, -1)) expect(row.replaceAll('字', 'xx').length).toBeLessThan(40);
    expect(rows.at(-1)).toMatch(/\^ \d+ rows in all: scroll up to where it begins$/);
  });

  it('is nothing that could move the cursor or turn the text around', () => {
    for (const trick of ['\u001b[2K', '\r', '\u202e', '\u200b']) {
      expect(() => shown(`lend${trick}: x`)).toThrow(expect.objectContaining({ code: 'BAD_REQUEST' }));
    }
  });
});
