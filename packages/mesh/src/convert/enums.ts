import type { CommandView } from '@writ/commands';
import type { QuestionKind, TaskState, TurnQuestion } from '@writ/delegation';
import type * as wire from '@writ/wire';
import { refuseField } from './fields.ts';

const STATES: Readonly<Record<TaskState, wire.TaskState>> = {
  submitted: 'TASK_STATE_SUBMITTED',
  waiting: 'TASK_STATE_WAITING',
  queued: 'TASK_STATE_QUEUED',
  running: 'TASK_STATE_RUNNING',
  input_required: 'TASK_STATE_INPUT_REQUIRED',
  approval_required: 'TASK_STATE_APPROVAL_REQUIRED',
  credential_required: 'TASK_STATE_CREDENTIAL_REQUIRED',
  completed: 'TASK_STATE_COMPLETED',
  failed: 'TASK_STATE_FAILED',
  cancelled: 'TASK_STATE_CANCELLED',
  rejected: 'TASK_STATE_REJECTED',
  lost: 'TASK_STATE_LOST',
};

const STREAMS: Readonly<Record<'stdout' | 'stderr', wire.OutputStream>> = {
  stdout: 'OUTPUT_STREAM_STDOUT',
  stderr: 'OUTPUT_STREAM_STDERR',
};

const QUESTION_KINDS: Readonly<Record<QuestionKind, wire.QuestionKind>> = {
  input: 'QUESTION_KIND_INPUT',
  approval: 'QUESTION_KIND_APPROVAL',
  credential: 'QUESTION_KIND_CREDENTIAL',
};

const FATES: Readonly<Record<NonNullable<TurnQuestion['previous']>, wire.CredentialFate>> = {
  accepted: 'CREDENTIAL_FATE_ACCEPTED',
  refused: 'CREDENTIAL_FATE_REFUSED',
};

const EFFECTS: Readonly<Record<'allow' | 'ask' | 'deny', wire.Effect>> = {
  allow: 'EFFECT_ALLOW',
  ask: 'EFFECT_ASK',
  deny: 'EFFECT_DENY',
};

const EXECUTION_STATES: Readonly<Record<CommandView['state'], wire.ExecutionState>> = {
  proposed: 'EXECUTION_STATE_PROPOSED',
  pending_approval: 'EXECUTION_STATE_PENDING_APPROVAL',
  running: 'EXECUTION_STATE_RUNNING',
  completed: 'EXECUTION_STATE_COMPLETED',
  failed: 'EXECUTION_STATE_FAILED',
  denied: 'EXECUTION_STATE_DENIED',
  expired: 'EXECUTION_STATE_EXPIRED',
  cancelled: 'EXECUTION_STATE_CANCELLED',
  outcome_unknown: 'EXECUTION_STATE_OUTCOME_UNKNOWN',
};

const CLASSES: Readonly<Record<CommandView['class'], wire.CommandClass>> = {
  read: 'COMMAND_CLASS_READ',
  'config-mutation': 'COMMAND_CLASS_CONFIG_MUTATION',
  destructive: 'COMMAND_CLASS_DESTRUCTIVE',
};

const APPROVAL_STATES: Readonly<
  Record<'pending' | 'approved' | 'denied' | 'expired' | 'cancelled', wire.ApprovalState>
> = {
  pending: 'APPROVAL_STATE_PENDING',
  approved: 'APPROVAL_STATE_APPROVED',
  denied: 'APPROVAL_STATE_DENIED',
  expired: 'APPROVAL_STATE_EXPIRED',
  cancelled: 'APPROVAL_STATE_CANCELLED',
};

/** An enum both ways; reading throws BAD_REQUEST for a value that this version does not know. */
interface EnumConverter<Domain extends string, Wire extends string> {
  toWire(value: Domain): Wire;
  fromWire(field: string, value: Wire | number): Domain;
}

function createEnum<Domain extends string, Wire extends string>(
  table: Readonly<Record<Domain, Wire>>,
): EnumConverter<Domain, Wire> {
  const known = Object.keys(table) as Domain[];
  return {
    toWire: (value) => table[value],
    fromWire: (field, value) =>
      known.find((one) => table[one] === value) ?? refuseField(field, `has an unknown value ${value}`),
  };
}

/** State of a task. */
export const taskState = createEnum(STATES);
/** What a question asks for. */
export const questionKind = createEnum(QUESTION_KINDS);
/** What became of a credential. */
export const credentialFate = createEnum(FATES);
/** Which of the two outputs of a process. */
export const outputStream = createEnum(STREAMS);
/** Effect of a decision. */
export const effect = createEnum(EFFECTS);
/** State of a gated command. */
export const executionState = createEnum(EXECUTION_STATES);
/** What a gated command does to the world. */
export const commandClass = createEnum(CLASSES);
/** What became of a question to a person. */
export const approvalState = createEnum(APPROVAL_STATES);
