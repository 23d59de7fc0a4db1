import { visible } from '@writ/core';
import type { OperationOutput } from '@writ/gateway/client';
import type { Output } from './output.ts';

/** What each outcome of a rule looks like in front of it. */
const MARK = { pass: '✓', cut: '↓', ask: '?', deny: '✗', skip: '·' } as const;

/** A decision as an answer to "why?": the verdict first, then the rules in the order in which they were looked at. */
export function explanation(decision: OperationOutput<'policy_explain'>, step: Output['step']): string {
  const verdict = { allow: 'allowed', ask: 'needs a person', deny: 'denied' }[decision.effect];
  const lines = [`${verdict} ${decision.code}: ${visible(decision.message)}`];
  if (decision.effect === 'allow' && decision.effective_profile !== undefined) {
    lines.push(`  runs as ${decision.effective_profile} with runner ${decision.effective_runner}`);
  }
  const width = Math.max(0, ...decision.trace.map(({ rule }) => rule.length));
  for (const { rule, outcome, detail, path, line } of decision.trace) {
    const place = path === undefined ? '' : `  (writ.toml${line === undefined ? '' : `:${line}`} ${path})`;
    lines.push(`  ${MARK[outcome]} ${rule.padEnd(width)} ${visible(detail)}${place}`);
  }
  lines.push(...decision.next_steps.map(step));
  lines.push(`  policy generation ${decision.generation}`);
  return lines.join('\n');
}
