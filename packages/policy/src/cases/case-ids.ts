import { nodeIdFromBase32, sha256Hex } from '@writ/core';

/** The node id that a label stands for in cases, the same one for the same label. */
export function caseNodeId(label: string): string {
  return nodeIdFromBase32(
    sha256Hex(label)
      .slice(0, 32)
      .replace(/[0189]/g, (digit) => 'wxyz'.charAt(+digit % 4)),
  );
}

/** Id of the node that decides in cases. */
export const CASE_SELF_ID = caseNodeId('the deciding node');

/** Id for a label of a chain: `self`, or a label; in capitals it is the same id in the other letter case. */
export function caseChainId(label: string): string {
  const id = label.toLowerCase() === 'self' ? CASE_SELF_ID : caseNodeId(label.toLowerCase());
  return label === label.toLowerCase() ? id : id.toUpperCase();
}
