import type { Result } from '@writ/delegation';
import type { OperationOutput } from '../client/types.ts';
import type { LabelOf } from './task-view.ts';

type ResultViewData = OperationOutput<'result'>;
type Nested = ResultViewData['nested'][number];

/** A result with what this node knows of it. */
export interface KnownResult {
  readonly side: ResultViewData['side'];
  readonly sha256: string;
  /** `own`: signed here. */
  readonly standing: 'pinned' | 'own' | { readonly vouchedBy: string };
  readonly result: Result;
  readonly late: boolean;
  readonly receivedAtMs?: number;
  readonly receiptAtMs?: number;
  readonly receiptRefusedAtMs?: number;
  /** In the order of `result.children`; undefined where only its name is known here. */
  readonly nested: readonly (NestedResult | undefined)[];
}

/** A result inside another one. */
export interface NestedResult {
  readonly sha256: string;
  readonly result: Result;
  readonly children: readonly NestedResult[];
}

/** A result as every surface shows it, with at most `limit` entries in each list. */
export function viewResult(known: KnownResult, labelOf: LabelOf, limit: number): ResultViewData {
  const { result } = known;
  const { outcome, times, transcript } = result;
  return {
    task: result.task,
    side: known.side,
    sha256: known.sha256,
    node: labelOf(result.node),
    standing: standingText(known.standing, labelOf),
    late: known.late,
    ...(known.receivedAtMs === undefined ? {} : { received_at_ms: known.receivedAtMs }),
    ...(known.receiptAtMs === undefined ? {} : { receipt_at_ms: known.receiptAtMs }),
    chain: result.chain.map(labelOf),
    state: outcome.state,
    ...(outcome.code === null ? {} : { code: outcome.code }),
    message: outcome.message,
    ...(result.exit === null ? {} : { ending: endingText(result.exit) }),
    truncated: result.truncated,
    changes: viewChanges(result.changes, limit),
    artifact_count: result.artifacts.length,
    artifacts: result.artifacts.slice(0, limit),
    nested: viewNested(result, known.nested, labelOf).slice(0, limit),
    requested_profile: result.profile.requested,
    profile: result.profile.effective,
    runner: result.runner,
    isolation: result.isolation,
    generation: result.generation,
    ...(result.workspace === null ? {} : { workspace: result.workspace }),
    ...(result.lease === null ? {} : { lease: result.lease }),
    ...(result.approvals.length === 0 ? {} : { approvals: result.approvals.map(({ id }) => id) }),
    ...(result.unseparated === undefined ? {} : { unseparated: true }),
    ...(result.usage === null ? {} : { usage: viewUsage(result.usage) }),
    ...(transcript === null ? {} : { transcript_sha256: transcript.sha256 }),
    accepted_at_ms: times.acceptedAtMs,
    ...(times.startedAtMs === null ? {} : { started_at_ms: times.startedAtMs }),
    ended_at_ms: times.endedAtMs,
    signed_at_ms: times.signedAtMs,
  };
}

function viewUsage(usage: NonNullable<Result['usage']>): ResultViewData['usage'] {
  const { inputTokens, outputTokens, costMicroUsd } = usage;
  return {
    ...(inputTokens === null ? {} : { input_tokens: inputTokens }),
    ...(outputTokens === null ? {} : { output_tokens: outputTokens }),
    ...(costMicroUsd === null ? {} : { cost_micro_usd: costMicroUsd }),
  };
}

/** How the signer of a result stands to this node: `pinned`, `own`, or `vouched by LABEL`. */
export function standingText(standing: KnownResult['standing'], labelOf: LabelOf): string {
  return typeof standing === 'string' ? standing : `vouched by ${labelOf(standing.vouchedBy)}`;
}

/** A path of a repository as text; bytes that are no UTF-8 as `base64:…`. */
export function pathText({ path, encoding }: { readonly path: string; readonly encoding: 'utf8' | 'base64' }): string {
  return encoding === 'utf8' ? path : `base64:${path}`;
}

function viewChanges(changes: Result['changes'], limit: number): ResultViewData['changes'] {
  const none = { kind: changes.kind, file_count: 0, insertions: 0, deletions: 0, files: [] };
  switch (changes.kind) {
    case 'no-workspace':
      return none;
    case 'uncollected':
      return { ...none, step: changes.step };
    case 'none':
      return { ...none, ...(changes.base === null ? {} : { base: changes.base }), ...viewRefused(changes, limit) };
    case 'changed':
      return {
        kind: 'changed',
        ...(changes.base === null ? {} : { base: changes.base }),
        head: changes.head,
        file_count: changes.files.length,
        insertions: changes.insertions,
        deletions: changes.deletions,
        files: changes.files.slice(0, limit).map((file) => ({
          status: file.status,
          path: pathText(file),
          ...(file.insertions === null ? {} : { insertions: file.insertions }),
          ...(file.deletions === null ? {} : { deletions: file.deletions }),
        })),
        patch_sha256: changes.patch.sha256,
        bundle_sha256: changes.bundle.sha256,
        ...viewRefused(changes, limit),
      };
  }
}

function viewRefused(
  { refused }: { readonly refused?: readonly Parameters<typeof pathText>[0][] | undefined },
  limit: number,
): Pick<ResultViewData['changes'], 'refused'> {
  return refused === undefined ? {} : { refused: refused.slice(0, limit).map(pathText) };
}

function endingText(exit: NonNullable<Result['exit']>): string {
  switch (exit.kind) {
    case 'exit':
      return `exit ${exit.exitCode}`;
    case 'signal':
      return `signal ${exit.signal}`;
    case 'timeout':
      return `timeout after ${exit.timeoutMs} ms`;
    case 'output-limit':
      return `output over ${exit.limitBytes} bytes`;
    case 'cancel':
      return `cancelled: ${exit.cause}`;
    case 'dismissed':
      return 'done, and ended by its node';
  }
}

/** Parents before their children; `depth` 1 is what the task itself handed on. */
function viewNested(
  parent: Result,
  nested: readonly (NestedResult | undefined)[],
  labelOf: LabelOf,
  depth = 1,
): Nested[] {
  return parent.children.flatMap((child, at) => {
    const known = nested[at];
    const outcome = known?.result.outcome;
    const row: Nested = {
      depth,
      task: child.task,
      node: labelOf(child.node),
      sha256: child.envelope,
      ...(outcome === undefined ? {} : { state: outcome.state }),
      ...(outcome === undefined || outcome.code === null ? {} : { code: outcome.code }),
    };
    return [row, ...(known === undefined ? [] : viewNested(known.result, known.children, labelOf, depth + 1))];
  });
}
