import { describe, expect, it } from 'vitest';
import { answerWhile, INTRUSIONS, type Intrusion } from './other-process.ts';

const ANSWERS = ['approve', 'deny'] as const;
const NAMES = Object.keys(INTRUSIONS) as Intrusion[];
const ALL = NAMES.flatMap((name) => ANSWERS.map((answer) => [name, answer] as const));

/** What an answer finds where a statement of another connection came right before its transaction. */
const FOUND: Readonly<Record<Intrusion, string>> = {
  'ends the session': 'session NOT_FOUND',
  'takes the question': 'pending NOT_PENDING',
  'lets it expire': 'pending EXPIRED',
  'revokes the lease': 'policy LEASE_REQUIRED',
  'removes the approver': 'approver NOT_APPROVER',
};

describe('an answer, with another connection to the same database', () => {
  it.each(ALL)('lets nobody between take, verify and apply who %s: %s', async (intrusion, answer) => {
    const { outcome, attempts, keptOut, seen, state } = await answerWhile(intrusion, 'inside', answer);
    expect(outcome.decided).toBe(true);
    expect(attempts).toBeGreaterThan(5);
    expect({ keptOut, seen }).toEqual({ keptOut: attempts, seen: ['pending'] });
    expect(state).toBe(answer === 'approve' ? 'approved' : 'denied');
  });

  it.each(ALL)('sees whatever was done in the moment before by who %s: %s', async (intrusion, answer) => {
    const { outcome, attempts, keptOut } = await answerWhile(intrusion, 'before', answer);
    expect({ attempts, keptOut }).toEqual({ attempts: 1, keptOut: 0 });
    // A no needs no right.
    const found = intrusion === 'revokes the lease' && answer === 'deny' ? 'decided' : FOUND[intrusion];
    expect(outcome.decided ? 'decided' : `${outcome.check} ${outcome.refusal.code}`).toBe(found);
  });
});
