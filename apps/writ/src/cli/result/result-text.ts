import { formatSize, visible } from '@writ/core';
import { countOf, type OperationOutput } from '@writ/gateway/client';
import { table } from '../output.ts';

type Shown = OperationOutput<'result'>;

/** A result for people. */
export function resultText(shown: Shown): string {
  const lines = [
    `task ${shown.task} at ${shown.node}: ${shown.state}${shown.code === undefined ? '' : ` ${shown.code}`}: ${shown.message}`,
    `result    ${shown.sha256}${shown.late ? ' (late: the task had ended here before it came)' : ''}`,
    `standing  ${shown.standing}`,
    `receipt   ${receiptText(shown)}`,
    `ran as    ${shown.profile} (asked for ${shown.requested_profile}), runner ${shown.runner}, isolation ${shown.isolation}, policy generation ${shown.generation}${shown.lease === undefined ? '' : `, lease ${shown.lease}`}`,
    ...decidedText(shown),
    `times     ${timesText(shown)}`,
    `changes   ${changesText(shown)}${originText(shown)}`,
  ].map(visible);
  for (const file of shown.changes.files) {
    lines.push(`  ${file.status} ${visible(file.path)}  ${linesText(file.insertions, file.deletions)}`);
  }
  pushMore(lines, shown.changes.file_count - shown.changes.files.length, 'file');
  for (const path of shown.changes.refused ?? []) {
    lines.push(`  refused ${visible(path)}: files of a repository inside count, its history does not come along`);
  }
  if (shown.artifact_count > 0) lines.push('artifacts', indent(artifactTable(shown.artifacts)));
  pushMore(lines, shown.artifact_count - shown.artifacts.length, 'artifact');
  if (shown.nested.length > 0) lines.push('nested results', ...shown.nested.map(nestedText));
  lines.push(`transcript ${shown.transcript_sha256 ?? 'none'}${shown.truncated ? ' (output truncated)' : ''}`);
  return lines.join('\n');
}

/** What persons said about it, and whether an agent of theirs could have said it too. */
function decidedText({ approvals = [], unseparated = false }: Shown): readonly string[] {
  if (approvals.length === 0 && !unseparated) return [];
  const answered = approvals.length === 0 ? 'its lease was lent by a person' : `approvals ${approvals.join(', ')}`;
  return [`decided   ${answered}${unseparated ? '; unseparated: without a key of an approver' : ''}`];
}

/** Names, sizes and digests of artifacts. */
export function artifactTable(artifacts: Shown['artifacts']): string {
  return table(
    ['NAME', 'SIZE', 'SHA-256'],
    artifacts.map(({ name, bytes, sha256 }) => [name, formatSize(bytes), sha256]),
  );
}

/** A result in one short line, with the command that applies it where there is something to apply. */
export function evidenceLine(shown: Shown): string {
  const artifacts = shown.artifact_count === 0 ? [] : [countOf(shown.artifact_count, 'artifact')];
  const apply = shown.side === 'asked' && shown.changes.kind === 'changed' ? [`writ apply ${shown.task}`] : [];
  return visible([changesText(shown), ...artifacts, shown.standing, ...apply].join(' · '));
}

function changesText({ changes, started_at_ms: startedAtMs }: Shown): string {
  switch (changes.kind) {
    case 'no-workspace':
      return 'no workspace';
    case 'none':
      return 'no file changed';
    case 'uncollected':
      if (startedAtMs === undefined) return 'nothing ran';
      return `not known: collecting them failed (${changes.step ?? 'unknown step'})`;
    case 'changed':
      return `${countOf(changes.file_count, 'file')} changed, ${linesText(changes.insertions, changes.deletions)}`;
  }
}

function linesText(insertions: number | undefined, deletions: number | undefined): string {
  return insertions === undefined || deletions === undefined ? 'binary' : `+${insertions} -${deletions}`;
}

function originText({ changes: { base, head } }: Shown): string {
  return head === undefined ? '' : `, ${base?.slice(0, 12) ?? 'nothing'} → ${head.slice(0, 12)}`;
}

function receiptText({ receipt_at_ms, side }: Shown): string {
  if (receipt_at_ms !== undefined) return `stored ${iso(receipt_at_ms)}`;
  return side === 'asked' ? 'not stored there yet' : 'none came yet';
}

function timesText(shown: Shown): string {
  const started = shown.started_at_ms === undefined ? 'never started' : `started ${iso(shown.started_at_ms)}`;
  const received = shown.received_at_ms === undefined ? '' : `, received ${iso(shown.received_at_ms)}`;
  return `accepted ${iso(shown.accepted_at_ms)}, ${started}, ended ${iso(shown.ended_at_ms)}, signed ${iso(shown.signed_at_ms)}${received}`;
}

function nestedText({ depth, task, node, state, code }: Shown['nested'][number]): string {
  const outcome = state === undefined ? 'not known here' : `${state}${code === undefined ? '' : ` ${code}`}`;
  return visible(`${'  '.repeat(depth)}${task} at ${node}: ${outcome}`);
}

function pushMore(lines: string[], more: number, noun: string): void {
  if (more > 0) lines.push(`  and ${countOf(more, `more ${noun}`)}`);
}

const iso = (atMs: number): string => new Date(atMs).toISOString();

const indent = (text: string): string =>
  text
    .split('\n')
    .map((line) => `  ${line}`)
    .join('\n');
