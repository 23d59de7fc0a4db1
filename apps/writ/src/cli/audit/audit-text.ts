import { visible } from '@writ/core';
import type { Output } from '../output.ts';
import type { AuditEntry, AuditReport, ShownEntry } from './source.ts';

/** A row in one line; a task is not told who acted. */
export function entryLine({
  seq,
  at_ms: atMs,
  action,
  subject,
  actor,
}: Pick<AuditEntry, 'seq' | 'at_ms' | 'action' | 'subject'> & { readonly actor?: string | undefined }): string {
  const what = subject === undefined ? action : `${action} ${subject}`;
  return visible(`${seq}  ${new Date(atMs).toISOString()}  ${what}${actor === undefined ? '' : `  (${actor})`}`);
}

/** An entry, and what proves it. */
export function shownText({ entry, leaf, proof }: ShownEntry): string {
  const { details } = entry;
  return [
    entryLine(entry),
    ...(details === undefined ? [] : [`details  ${JSON.stringify(details)}`]),
    `leaf     ${leaf}`,
    proof === undefined
      ? 'no checkpoint counts it yet: a running node signs once a minute'
      : `proved   entry ${proof.index + 1} of the ${proof.size} that the newest checkpoint counts, by ${proof.hashes.length} hashes`,
    ...(proof === undefined ? [] : ['', ...proof.checkpoint.trimEnd().split('\n')]),
  ]
    .map(visible)
    .join('\n');
}

/** What verifying came to; `whose` says whose log it is, `step` makes a line of a next step. */
export function reportText(report: AuditReport, whose: string, step: Output['step']): string {
  const { ok, written, signed, checkpoints, kept, problems, more, notes } = report;
  const told = ({ where, kind, from, to, message }: AuditReport['problems'][number]): string =>
    visible(`${placeOf(where, from, to)}: ${kind}: ${message}`);
  return [
    `${ok ? 'verified' : 'NOT VERIFIED'}: the audit log of ${visible(whose)}`,
    `${written} entries, ${checkpoints} of its checkpoints hold, the newest counts ${signed}`,
    ...kept.map(({ size, holds }) => `kept checkpoint over ${size} entries: ${holds ? 'holds' : 'DOES NOT HOLD'}`),
    ...problems.flatMap((problem) => [told(problem), ...problem.next_steps.map(step)]),
    ...(more === 0 ? [] : [`and ${more} more`]),
    ...notes.map((note) => visible(`note: ${note}`)),
  ].join('\n');
}

function placeOf(where: string, from: number | undefined, to: number | undefined): string {
  const place = where.replace('-', ' ');
  if (from === undefined) return place;
  return to === undefined || to === from ? `${place}, entry ${from}` : `${place}, entries ${from} to ${to}`;
}
