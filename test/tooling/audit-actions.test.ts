import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { AUDIT_ACTIONS } from '@writ/database';
import { describe, expect, it } from 'vitest';

const VOCABULARY = 'packages/database/src/audit-actions.ts';
const sources = ['packages', 'apps', 'test']
  .flatMap((root) => readdirSync(root, { recursive: true, encoding: 'utf8' }).map((name) => join(root, name)))
  .filter((path) => /[.]ts$/.test(path) && !/[/](node_modules|dist)[/]/.test(path))
  .filter((path) => path !== VOCABULARY && path !== 'test/tooling/audit-actions.test.ts');
const isTest = (path: string): boolean => /[.]test[.]ts$|[/]testing[/]|^test[/]|[-]contract[.]ts$/.test(path);
const textOf = (paths: readonly string[]): string => paths.map((path) => readFileSync(path, 'utf8')).join('\n');
const tests = textOf(sources.filter(isTest));
const program = textOf(sources.filter((path) => !isTest(path)));

/** Rows that no test names, and one that reaches each: it looks at the effect that the row is written with. */
const UNNAMED: Readonly<Record<string, string>> = {
  'decision.allow': 'apps/writ/src/node/turn-desk.test.ts',
  'decision.ask': 'packages/delegation/src/executor/waiting/waiting.test.ts',
  'writ.refused': 'packages/mesh/src/handlers/submit.test.ts',
  'task.waiting': 'packages/delegation/src/executor/waiting/waiting.test.ts',
  'task.input_required': 'packages/delegation/src/executor/turns/turns.test.ts',
  'task.approval_required': 'apps/writ/src/node/turn-desk.test.ts',
  'task.credential_required': 'packages/delegation/src/executor/turns/turns.test.ts',
  'task.failed': 'apps/writ/src/node/turn-desk.test.ts',
  'task.cancelled': 'apps/writ/src/node/turn-desk.test.ts',
  'task.rejected': 'packages/delegation/src/executor/waiting/waiting.test.ts',
  'task.lost': 'packages/delegation/src/executor/turns/turns.test.ts',
  'task.cancel-requested': 'apps/writ/src/node/turn-desk.test.ts',
  'task.reply-refused': 'packages/delegation/src/executor/turns/turns.test.ts',
  'mirror.submitted': 'packages/delegation/src/origin/children.test.ts',
  'mirror.completed': 'packages/delegation/src/origin/origin.test.ts',
  'mirror.failed': 'packages/delegation/src/origin/children.test.ts',
  'mirror.cancelled': 'packages/delegation/src/origin/children.test.ts',
  'mirror.rejected': 'packages/delegation/src/origin/session-ends/two-nodes.test.ts',
  'mirror.lost': 'packages/delegation/src/origin/origin.test.ts',
  'mirror.cancel-requested': 'packages/delegation/src/executor/evidence/serving.test.ts',
  'execution.failed': 'packages/authority/src/executions/executions.test.ts',
  'execution.denied': 'packages/authority/src/executions/executions.test.ts',
  'execution.expired': 'packages/authority/src/executions/executions.test.ts',
  'execution.cancelled': 'packages/authority/src/executions/executions.test.ts',
  'execution.outcome_unknown': 'packages/authority/src/executions/executions.test.ts',
  'execution.sent': 'test/mesh/commands.test.ts',
  'approval.not-asked': 'packages/authority/src/approvals/approvals.test.ts',
  'approval.answer-refused': 'apps/writ/src/node/turn-desk.test.ts',
  'peer.taken-back': 'packages/pairing/src/peer-records.test.ts',
  'approver.enrolled': 'apps/writ/src/node/turn-desk.test.ts',
  'approver.removed': 'packages/authority/src/approvals/approvals.test.ts',
  'lease.renewed': 'packages/authority/src/approvals/lease-kind.test.ts',
  'token.task.issued': 'test/mesh/chains.test.ts',
  'invite.closed': 'packages/pairing/src/pairing-attacks.test.ts',
  'invite.declined': 'packages/pairing/src/pairing.test.ts',
  'invite.ended-by-restart': 'packages/pairing/src/create-invite.test.ts',
};

const actions = Object.entries(AUDIT_ACTIONS).flatMap(([kind, of]) =>
  Object.keys(of).map((action) => ({ kind, action })),
);

describe('the vocabulary of the audit trail', () => {
  it('is written by the program, every word of it', () => {
    // Words that end with a state are written as `task.${state}`.
    const isWritten = (action: string): boolean =>
      program.includes(`'${action}'`) || program.includes(`\`${action.slice(0, action.indexOf('.'))}.\${`);
    expect(actions.filter(({ action }) => !isWritten(action))).toEqual([]);
  });

  it('is reached by tests: each word is named by one, or stands in the list above', () => {
    const unnamed = actions.map(({ action }) => action).filter((action) => !tests.includes(action));
    expect(unnamed.filter((action) => UNNAMED[action] === undefined)).toEqual([]);
    const known = new Set(actions.map(({ action }) => action));
    expect(Object.entries(UNNAMED).filter(([action, path]) => !known.has(action) || !existsSync(path))).toEqual([]);
  });

  it('has each word once, under one kind', () => {
    const words = actions.map(({ action }) => action);
    expect(words.length).toBe(new Set(words).size);
  });
});
