import { formatDuration, formatSize } from '@writ/core';
import type { OperationOutput } from '@writ/gateway/client';

type Shown = OperationOutput<'task_show'>;
type Hop = Shown['hops'][number];

/** Draws how a task came to where it is: each hop with what it asks for, what it grants and what it took away. */
export function drawChain(shown: Shown): string {
  if (shown.hops.length === 0) return `${shown.peer}: no hop, this machine asked itself`;
  const lines = shown.hops.flatMap((hop, at) => [...drawHop(hop, at === 0), '']);
  const { granted, runs_here: here } = shown;
  const last = shown.hops.at(-1)?.to_label ?? '';
  if (granted === undefined) lines.push(`${last}: nothing is granted yet`);
  else {
    lines.push(`${last} runs it as ${granted.effective_profile} with runner ${granted.effective_runner}`);
    if (here !== undefined) {
      lines.push(`  holds      ${list(here.capabilities)}`, `  took away  ${list(here.took_away)}`);
    }
  }
  return lines.join('\n');
}

function drawHop(hop: Hop, isFirst: boolean): readonly string[] {
  const asks = hop.profile === undefined ? 'its default profile' : hop.profile;
  const where = hop.workspace === undefined ? '' : ` in ${hop.workspace}`;
  return [
    `${hop.from_label} → ${hop.to_label}  asks for ${asks}${where}`,
    `  task       ${hop.task}`,
    `  grants     ${list(hop.capabilities)}`,
    `             workspaces ${list(hop.workspaces)}; network ${hop.network}; output ${size(hop.max_output_bytes)}`,
    `             further hops ${hop.depth}; until ${new Date(hop.expires_at_ms).toISOString()}`,
    `  took away  ${isFirst ? 'nothing: the chain begins here' : losses(hop.took_away)}`,
  ];
}

function losses(loss: Hop['took_away']): string {
  const parts = [
    ...(loss.capabilities.length === 0 ? [] : [list(loss.capabilities)]),
    ...(loss.workspaces.length === 0 ? [] : [`workspaces ${list(loss.workspaces)}`]),
    ...(loss.network === undefined ? [] : [`network (was ${loss.network})`]),
    ...(loss.output_bytes === undefined ? [] : ['output']),
    ...(loss.depth === 0 ? [] : [`hops ${loss.depth}`]),
    ...(loss.ms <= 0 ? [] : [`time ${formatDuration(loss.ms)}`]),
  ];
  return list(parts, '; ');
}

function size(bytes: number): string {
  return bytes === Number.MAX_SAFE_INTEGER ? 'unlimited' : formatSize(bytes);
}

function list(names: readonly string[], separator = ', '): string {
  return names.length === 0 ? 'nothing' : names.join(separator);
}
