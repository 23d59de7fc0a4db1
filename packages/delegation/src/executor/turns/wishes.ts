import { formatDuration, visible, WritError } from '@writ/core';
import type { AskWish, QuestionWish } from '../../turn-types.ts';

/** Most questions that are asked at once, and that one task has open. */
export const MOST_OPEN = 16;
/** Most questions of one task: each is kept, and told to every watcher. */
export const MOST_ASKED = 1000;
/** Longest question, UTF-16 units. */
const LONGEST_TEXT = 4096;
const MOST_CHOICES = 16;
const LONGEST_CHOICE = 200;
/** Longest wait, milliseconds; an approval waits no longer either. */
export const LONGEST_WAIT_MS = 7 * 86_400_000;

/** Throws BAD_REQUEST where a wish cannot be asked, whoever asks. */
export function checkWish({ questions, timeoutMs }: AskWish): void {
  if (questions.length === 0 || questions.length > MOST_OPEN) {
    throw refused(`1 to ${MOST_OPEN} questions are asked at once, not ${questions.length}`);
  }
  if (timeoutMs !== undefined && !(timeoutMs >= 1 && timeoutMs <= LONGEST_WAIT_MS)) {
    throw refused(`an answer is waited for up to ${formatDuration(LONGEST_WAIT_MS)}, and longer than no time`);
  }
  questions.forEach(checkQuestion);
}

function checkQuestion({ kind, text, choices, previous }: QuestionWish): void {
  if (text.trim() === '' || text.length > LONGEST_TEXT) throw refused(`a question has 1 to ${LONGEST_TEXT} characters`);
  if (previous !== undefined && kind !== 'credential')
    throw refused('only a credential was accepted or refused before');
  if (choices === undefined) return;
  if (kind !== 'input') throw refused('only a question of kind input offers choices');
  const isFitting = choices.every((choice) => choice.trim() !== '' && choice.length <= LONGEST_CHOICE);
  const isUnique = new Set(choices.map(visible)).size === choices.length;
  if (!isFitting || !isUnique || choices.length === 0 || choices.length > MOST_CHOICES) {
    throw refused(`1 to ${MOST_CHOICES} different choices of up to ${LONGEST_CHOICE} characters are offered`);
  }
}

/** Text on its lines, with every other control character written out. */
export function visibleLines(text: string): string {
  return text.split('\n').map(visible).join('\n');
}

function refused(message: string): WritError {
  return new WritError('BAD_REQUEST', message, { nextSteps: ['ask something that fits'] });
}
