import type { StreamItem } from '@writ/gateway/client';
import type { Output } from './output.ts';
import { inTheirWords } from './rows.ts';

type Turn = NonNullable<Extract<StreamItem<'task_watch'>, { kind: 'state' }>['turn']>;

/** What a task waits for, with the command that answers each question. */
export function showQuestions(output: Output, task: string, { questions }: Turn): void {
  for (const question of questions) {
    output.note(`${output.colors.yellow(`${question.kind} wanted`)} (${question.id}):`);
    for (const row of inTheirWords(question.text, output)) output.note(row);
    if (question.previous !== undefined) output.note(`  the credential given before was ${question.previous}`);
    if (question.choices !== undefined) output.note('  one of:');
    for (const choice of question.choices ?? []) for (const row of inTheirWords(choice, output)) output.note(row);
    output.note(output.step(howToAnswer(task, question)));
  }
}

function howToAnswer(task: string, { id, kind, answered_by }: Turn['questions'][number]): string {
  if (kind === 'approval') return `answered by ${answered_by}`;
  return `writ task reply ${task} --question ${id} ${kind === 'credential' ? '--credential' : 'TEXT'}`;
}
