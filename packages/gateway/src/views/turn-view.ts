import type { Turn, TurnQuestion } from '@writ/delegation';
import type { z } from 'zod';
import type { turnField } from '../contract/fields.ts';

/** What a task waits for, since when, and who can answer. */
export function viewTurn({ turn, sinceMs, questions }: Turn): z.input<typeof turnField> {
  return { turn, since_ms: sinceMs, questions: questions.map(viewQuestion) };
}

function viewQuestion(question: TurnQuestion): z.input<typeof turnField>['questions'][number] {
  const { id, kind, text, choices, previous, approval, askedAtMs } = question;
  return {
    ...{ id, kind, text, asked_at_ms: askedAtMs },
    answered_by: kind === 'approval' ? 'an approver of the executing node' : 'a reply',
    ...(choices === undefined ? {} : { choices: [...choices] }),
    ...(previous === undefined ? {} : { previous }),
    ...(approval === undefined ? {} : { approval }),
  };
}
