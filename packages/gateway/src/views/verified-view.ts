import type { VerifiedTree } from '@writ/delegation';
import type { OperationOutput } from '../client/types.ts';
import { standingText } from './result-view.ts';
import type { LabelOf } from './task-view.ts';

/** What nobody can check who was not there. */
const UNSEPARATED = 'that a person decided: unseparated, an answer or the lease was given without a key of an approver';
/** What a verified result says, for people. */
const PROVES = 'who wrote it, not that it is true';

/**
 * What was checked of a result. `content`: what beside the envelopes was compared with its digest; `notChecked`: what
 * could not be looked at.
 */
export function viewVerified(
  tree: VerifiedTree,
  labelOf: LabelOf,
  beside: { readonly content: readonly string[]; readonly notChecked: readonly string[] },
): OperationOutput<'verify_result'> {
  const { result, standing } = tree;
  const node = labelOf(result.node);
  const nested = countNested(tree);
  const hops = result.writs.length;
  return {
    task: result.task,
    sha256: tree.sha256,
    node,
    standing: standingText(standing, labelOf),
    state: result.outcome.state,
    checked: [
      `signature of ${node}, by a key that its identity certificate signed`,
      standing === 'pinned'
        ? `identity: ${node} is pinned here`
        : `identity: ${node} is not pinned here; a writ of this node leads to it`,
      hops === 0
        ? "chain: none, the task is of the node's own"
        : `chain: ${countOf(hops, 'writ')} from ${labelOf(result.origin)} to ${node}, each signed`,
      `task ${result.task}, and the nonce of its last writ`,
      ...(beside.content.length === 0 ? [] : [`digests: ${beside.content.join(', ')}`]),
      ...(nested === 0 ? [] : [`${countOf(nested, 'nested result')}, each with its own signature and chain`]),
    ],
    not_checked: [...beside.notChecked, ...(result.unseparated === undefined ? [] : [UNSEPARATED])],
    proves: PROVES,
  };
}

/** Names of what a result has beside its envelope: bundle, patch and artifacts. */
export function contentNames({ changes, artifacts }: VerifiedTree['result']): readonly string[] {
  return [
    ...(changes.kind === 'changed' ? ['bundle', 'patch'] : []),
    ...(artifacts.length === 0 ? [] : [countOf(artifacts.length, 'artifact')]),
  ];
}

function countNested({ children }: VerifiedTree): number {
  return children.reduce((sum, child) => sum + 1 + countNested(child), 0);
}

/** `1 writ`, `2 writs`. */
export function countOf(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}
