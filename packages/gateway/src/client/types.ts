import type { z } from 'zod';
import type { Contract } from '../contract/index.ts';

/** Names of the operations that answer once. */
export type OperationName = {
  [N in keyof Contract]: Contract[N] extends { readonly output: z.ZodType } ? N : never;
}[keyof Contract];

/** Names of the operations that answer with a stream. */
export type StreamName = Exclude<keyof Contract, OperationName>;

/** What a caller gives to an operation. */
export type OperationInput<N extends keyof Contract> = z.input<Contract[N]['input']>;

/** What an operation answers. */
export type OperationOutput<N extends OperationName> = Contract[N] extends {
  readonly output: infer O extends z.ZodType;
}
  ? z.output<O>
  : never;

/** One line of a stream. */
export type StreamItem<N extends StreamName> = Contract[N] extends { readonly item: infer O extends z.ZodType }
  ? z.output<O>
  : never;

/** A task as status, wait, cancel and list_tasks show it. */
export type TaskView = OperationOutput<'status'>;
/** What became of a wish to delegate. */
export type Decided = NonNullable<OperationOutput<'delegate'>['decided']>;
/** What a task came to. */
export type OutcomeView = NonNullable<TaskView['outcome']>;
/** A question as a person sees it. */
export type ApprovalView = OperationOutput<'approval_show'>['approval'];
/** A lease as a person sees it. */
export type LeaseView = OperationOutput<'lease_grant'>['lease'];
/** A peer in a list. */
export type PeerView = OperationOutput<'peer_list'>['peers'][number];
/** Something wrong in a configuration. */
export type ViolationView = OperationOutput<'policy_validate'>['violations'][number];
/** A gated command as every surface shows it. */
export type ExecutionView = OperationOutput<'execution_cancel'>;
