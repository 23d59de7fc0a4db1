import { outcomeOf } from './self-tests.ts';
import type { Decision, TraceStep } from './types.ts';

const MARKS: Readonly<Record<TraceStep['outcome'], string>> = {
  pass: 'ok  ',
  cut: 'cut ',
  ask: 'ask ',
  deny: 'DENY',
  skip: '-   ',
};

/** Why a request is answered as it is, for a person in a hurry: the answer, what would help, then each rule. */
export function explainText(decision: Decision): string {
  const { effect, code, message, nextSteps, requestedProfile, effectiveProfile, generation, trace } = decision;
  const cut = effectiveProfile !== undefined && requestedProfile !== undefined && effectiveProfile !== requestedProfile;
  const width = Math.max(0, ...trace.map(({ rule }) => rule.length));
  return [
    effect === 'allow'
      ? `allowed: ${outcomeOf(decision)}`
      : `${effect === 'deny' ? 'denied' : 'a person is asked'}: ${code}, ${message}`,
    ...(cut ? [`${requestedProfile} is cut down to ${effectiveProfile}`] : []),
    ...nextSteps.map((step) => `next: ${step}`),
    `policy generation ${generation}`,
    ...(trace.length > 0 ? ['', ...trace.map((step) => traceLine(step, width))] : []),
  ].join('\n');
}

function traceLine({ rule, outcome, detail, path, position }: TraceStep, width: number): string {
  const place = path === undefined ? '' : `  [${path}${position ? `, line ${position.line}` : ''}]`;
  return `  ${MARKS[outcome]}  ${rule.padEnd(width)}  ${detail}${place}`;
}
