import { loadServices } from '@writ/wire';
import { describe, expect, it } from 'vitest';
import { eventFromWire } from './event.ts';
import { answerFromWire, watchedFromWire } from './execution.ts';
import { leaseAnswerFromWire, leaseRequestFromWire } from './lease-request.ts';
import { redeemResponseFromWire } from './redeem.ts';
import { renewalFromWire } from './renewal.ts';
import { taskFromWire } from './task.ts';
import { wishFromWire } from './wish.ts';

const { mesh } = loadServices();

/** Reads what a peer sends, as it arrives. */
function reader<I, O>(method: { responseSerialize(value: I): Buffer; responseDeserialize(bytes: Buffer): O }) {
  return (value: I): O => method.responseDeserialize(method.responseSerialize(value));
}
const watch = reader(mesh.Watch);
const task = reader(mesh.GetTask);
const lease = reader(mesh.RequestLease);
const renewal = reader(mesh.RenewWrit);
const answer = reader(mesh.Execute);
const watched = reader(mesh.WatchExecution);
const redeemed = reader(mesh.Redeem);
const asked = <I, O>(
  method: { requestSerialize(value: I): Buffer; requestDeserialize(bytes: Buffer): O },
  value: I,
): O => method.requestDeserialize(method.requestSerialize(value));

const STATE = { state: 'TASK_STATE_WAITING' as const, approval: 'ap-1' };
const ENDED = { state: 'TASK_STATE_FAILED' as const };
const QUESTION = { id: '1', kind: 'QUESTION_KIND_INPUT' as const, text: 'x' };
const TURN = { turn: 1, questions: [QUESTION] };
const ID = 'execution-1';
const RUN = {
  id: ID,
  profile: 'ops',
  arguments: ['ls'],
  class: 'COMMAND_CLASS_READ' as const,
  state: 'EXECUTION_STATE_RUNNING' as const,
};
const PLAN = { title: 'x', steps: [{ arguments: ['ls'] }], onlySteps: true };
const ASKED = { key: 'k', session: 's', agent: 'a', profile: 'ops', reason: 'x' };
const OUTPUT = { stream: 'OUTPUT_STREAM_STDOUT' as const, data: Buffer.from('x') };

/** Every time and duration that a peer can tell: the field that its refusal names, and who reads it. */
const TOLD: readonly (readonly [field: string, read: (ms: number) => unknown])[] = [
  ['at_ms', (ms) => eventFromWire(watch({ atMs: ms, state: STATE }))],
  ['state.answer_by_ms', (ms) => eventFromWire(watch({ state: { ...STATE, answerByMs: ms } }))],
  ['turn.since_ms', (ms) => eventFromWire(watch({ state: { ...STATE, turn: { ...TURN, sinceMs: ms } } }))],
  [
    'question.asked_at_ms',
    (ms) =>
      eventFromWire(watch({ state: { ...STATE, turn: { ...TURN, questions: [{ ...QUESTION, askedAtMs: ms }] } } })),
  ],
  ['outcome.started_at_ms', (ms) => eventFromWire(watch({ outcome: { ...ENDED, startedAtMs: ms } }))],
  ['outcome.ended_at_ms', (ms) => eventFromWire(watch({ outcome: { ...ENDED, endedAtMs: ms } }))],
  ['ending.timeout_ms', (ms) => eventFromWire(watch({ outcome: { ...ENDED, ending: { timeoutMs: ms } } }))],
  ['task.created_at_ms', (ms) => taskFromWire(task({ task: { id: 't', ...ENDED, createdAtMs: ms } }).task)],
  [
    'question.answer_by_ms',
    (ms) =>
      leaseAnswerFromWire(lease({ question: { approval: 'ap-1', state: 'APPROVAL_STATE_PENDING', answerByMs: ms } })),
  ],
  ['duration_ms', (ms) => leaseRequestFromWire(asked(mesh.RequestLease, { ...ASKED, durationMs: ms }))],
  ['expires_at_ms', (ms) => renewalFromWire(renewal({ expiresAtMs: ms }))],
  ['question.expires_at_ms', (ms) => answerFromWire(answer({ question: { approval: 'ap-1', expiresAtMs: ms } }))],
  ...(['created_at_ms', 'expires_at_ms', 'started_at_ms', 'ended_at_ms'] as const).map(
    (field) =>
      [
        `execution.${field}`,
        (ms: number) => answerFromWire(answer({ execution: { ...RUN, [camel(field)]: ms } })),
      ] as const,
  ),
  ['output.at_ms', (ms) => watchedFromWire(watched({ output: { ...OUTPUT, atMs: ms } }))],
  ['plan.window_ms', (ms) => wishFromWire(asked(mesh.Execute, { id: ID, plan: { ...PLAN, windowMs: ms } }))],
  ['accepted.lease_ms', (ms) => redeemResponseFromWire(redeemed({ accepted: { label: 'x', leaseMs: ms } }))],
];

function camel(field: string): string {
  return field.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase());
}

describe('a time that a peer tells', () => {
  it.each(TOLD)('%s is refused as garbage where no date can be made of it', (field, read) => {
    for (const ms of [Number.MAX_SAFE_INTEGER, 8_640_000_000_000_001, 253_402_300_800_000, -1]) {
      expect(() => read(ms), String(ms)).toThrow(
        expect.objectContaining({ code: 'BAD_REQUEST', message: expect.stringContaining(`${field}: `) }),
      );
    }
    expect(() => read(60_000)).not.toThrow();
  });
});
