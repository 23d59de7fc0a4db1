import type { VerifiedTree } from '@writ/delegation';
import type { OperationOutput } from '../client/types.ts';
import { standingText } from './result-view.ts';
import type { LabelOf } from './task-view.ts';

/** What nobody can check who was not there. */
const UNSEPARATED = 'that a person decided: unseparated, an answer or the lease was given without a key of an approver';
/** What a verified result says, for people. */
const PROVES = 'who wrote it, not that it is true';
const PROVES_OF_NOBODY = 'that whoever has its key wrote it: not who that is, and not that it is true';

/** For a verifier without a node: how the signer was named to it; `nobody`: not at all, so that it may be anybody. */
export type SignerKnown = 'named' | 'nobody';

/**
 * What was checked of a result. `content`: what beside the envelopes was compared with its digest; `notChecked`: what
 * could not be looked at.
 */
export function viewVerified(
  tree: VerifiedTree,
  labelOf: LabelOf,
  beside: {
    readonly content: readonly string[];
    readonly notChecked: readonly string[];
    /** Absent: the verifier is a node. */
    readonly known?: SignerKnown;
  },
): OperationOutput<'verify_result'> {
  const { result, standing } = tree;
  const node = labelOf(result.node);
  const nested = countNested(tree);
  const hops = result.writs.length;
  const { known } = beside;
  return {
    task: result.task,
    sha256: tree.sha256,
    node,
    standing: known === undefined ? standingText(standing, labelOf) : STANDING[known],
    state: result.outcome.state,
    checked: [
      `signature of ${node}, by a key that its identity certificate signed`,
      ...(known === 'nobody' ? [] : [identityText(node, standing, known)]),
      hops === 0
        ? "chain: none, the task is of the node's own"
        : `chain: ${countOf(hops, 'writ')} from ${labelOf(result.origin)} to ${node}, each signed`,
      `task ${result.task}, and the nonce of its last writ`,
      ...(beside.content.length === 0 ? [] : [`digests: ${beside.content.join(', ')}`]),
      ...(nested === 0 ? [] : [`${countOf(nested, 'nested result')}, each with its own signature and chain`]),
    ],
    not_checked: [
      ...(known === 'nobody' ? [`identity: ${node} is not pinned, and nobody named it: it may be anybody’s`] : []),
      ...(known === undefined ? [] : ['who asked: there is no node here that it could answer']),
      ...beside.notChecked,
      ...(result.unseparated === undefined ? [] : [UNSEPARATED]),
    ],
    proves: known === 'nobody' ? PROVES_OF_NOBODY : PROVES,
  };
}

const STANDING: Readonly<Record<SignerKnown, string>> = { named: 'not pinned, but named', nobody: 'not pinned' };

function identityText(node: string, standing: VerifiedTree['standing'], known: SignerKnown | undefined): string {
  if (known !== undefined) return `identity: ${node} is the node that was named`;
  return standing === 'pinned'
    ? `identity: ${node} is pinned here`
    : `identity: ${node} is not pinned here; a writ of this node leads to it`;
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
