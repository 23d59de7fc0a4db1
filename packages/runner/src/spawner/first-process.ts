import type { Readable } from 'node:stream';
import type { ProcessTable } from '../process-tree/process-table.ts';

/** Descriptor on which a keeper says which process is the first one of its namespace, as `{"child-pid": N, …}`. */
export const KEEPER_FD = 4;
/** Descriptor on which a process reads what it is told beside its arguments. */
export const TOLD_FD = 5;

/**
 * Follows the first process of a namespace: the kernel lets it go only when every other one in there is gone, whatever marks
 * they shed. The answer is true while it is there; false before it was heard of.
 */
export function followFirstProcess(said: Readable, table: ProcessTable): () => boolean {
  let text = '';
  let first: { readonly pid: number; readonly startTicks: number } | undefined;
  said.setEncoding('utf8');
  said.on('data', (piece: string) => {
    text += piece;
    const pid = Number(/"child-pid":\s*(\d+)/.exec(text)?.[1]);
    const entry = first === undefined && pid > 0 ? table.entry(pid) : undefined;
    if (entry !== undefined) first = { pid, startTicks: entry.startTicks };
  });
  said.on('error', () => {});
  return () => {
    const entry = first === undefined ? undefined : table.entry(first.pid);
    return entry !== undefined && entry.startTicks === first?.startTicks && !entry.zombie;
  };
}
