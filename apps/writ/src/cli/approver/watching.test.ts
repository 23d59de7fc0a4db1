import { createSystemClock, createSystemRandom, sha256Hex } from '@writ/core';
import { createControlClient } from '@writ/gateway/client';
import { createIdentity, readPublicIdentity } from '@writ/identity';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Terminal } from '../../terminal/terminal.ts';
import type { CliContext } from '../context.ts';
import { type FakeNode, startFakeNode } from '../testing/fake-node.ts';
import { watchQuestions } from './watching.ts';

const FAR_MS = 9_999_999_999_999;
const QUESTION = {
  ...{ id: 'a-1', kind: 'lease', state: 'pending', about: 'lend', requested_by: 'self', origin: 'o', session: 's' },
  ...{ agent: 'cli', scopes: ['once'], created_at_ms: 1, expires_at_ms: FAR_MS },
  ...{ digest: 'd', preview: 'lend repo-dev', generation: 1 },
};

let at: FakeNode;
let written: string;
beforeEach(async () => {
  at = await startFakeNode();
  written = '';
  await createIdentity({ dir: at.home.keysDir, clock: createSystemClock(), random: createSystemRandom() });
  const { id: node } = await readPublicIdentity(at.home.keysDir);
  const said = { node, approval: 'a-1', kind: 'lease', digest: 'd', preview: sha256Hex(QUESTION.preview) };
  at.answers = {
    approver_list: () => ({ mode: 'terminal', needed: true, approvers: [] }),
    approval_watch: () => [{ approval: QUESTION }],
    approval_show: () => ({ approval: QUESTION }),
    approval_statement: () => ({ statement: { ...said, answer: 'approve', scope: 'once', expiresAtMs: FAR_MS } }),
  };
});
afterEach(() => at.stop());

/** A watch at a terminal at which yes is typed each time. */
function watch(): Promise<void> {
  const terminal: Terminal = {
    write: (text) => {
      written += text;
    },
    size: () => ({ columns: 80, rows: 24 }),
    askLine: async () => 'y',
    askSecret: async () => '',
    interrupted: new AbortController().signal,
    close: () => {},
  };
  const context = {
    ...{ home: at.home, clock: createSystemClock(), signal: new AbortController().signal },
    ...{ environment: { isDumbTerminal: true }, output: { item: () => {} } },
    node: () => createControlClient({ socketPath: at.home.socketFile, token: 'token' }),
    terminal: () => terminal,
  } as unknown as CliContext;
  return watchQuestions(context, {});
}

const decided = (): number => at.calls.filter(({ name }) => name === 'approval_decide').length;

it('a watch of somebody who is no approver any more ends, and says so', async () => {
  at.answers.approval_decide = () => ({ decided: false, check: 'proof', code: 'NOT_APPROVER', message: 'not proved' });
  await expect(watch()).rejects.toMatchObject({
    ...{ code: 'NOT_APPROVER', message: expect.stringContaining('answers nothing at this node any more') },
    nextSteps: [expect.stringContaining('writ approver list'), expect.anything()],
  });
  expect(decided()).toBe(1);
});

it('a watch goes on where another one was faster', async () => {
  at.answers.approval_decide = () => ({
    decided: false,
    check: 'pending',
    code: 'NOT_PENDING',
    message: 'it is denied',
  });
  await watch();
  expect(written).toContain('NOT_PENDING: it is denied');
  expect(decided()).toBe(1);
});
