import { formatDuration } from '@writ/core';
import type { OperationOutput } from '@writ/gateway/client';
import { runningAlready } from '../../lifecycle/already-running.ts';
import type { CliContext } from '../context.ts';
import { examples } from '../examples.ts';
import { EXIT } from '../exit-codes.ts';
import { fullShares } from '../held-work.ts';
import type { Output } from '../output.ts';
import type { Definitions } from '../program.ts';
import { restartText } from '../restart-text.ts';
import { steadily } from '../steadily.ts';
import { unreadableText } from '../unreadable-rows.ts';

/** What `unseparated` means, for a person. */
const UNSEPARATED =
  'unseparated: leases, pairing and widening rest on the host token (and a terminal), which an agent of the same user has; writ approver enroll';

/** What it means that a node does not listen, for a person. */
const ONLY_ASKS = 'it only asks: without `listen` under [node] no other node can hand it work, or join it';

/** What `policy_shut` means, for a person. */
const SHUT = 'warning: nobody is let in: more changes of the policy wait than can be kept apart';

/** What `clock_is_backwards` means, for a person. */
const CLOCK =
  'warning: the clock went back behind what this node has recorded: no lease, window or writ counts until it is right or: writ lease accept-clock';

export function defineNode({ program, run }: Definitions): void {
  program
    .command('up')
    .description('start the node')
    .option('--foreground', 'stay attached, for a service manager')
    .addHelpText('after', examples(['writ up', 'writ up --foreground']))
    .action(run(up));
  program
    .command('down')
    .description('stop the node; work gets five seconds to finish, then it is ended')
    .addHelpText('after', examples(['writ down']))
    .action(run(down));
  program
    .command('status')
    .description('the node, its peers, its work')
    .option('--watch', 'stay, and show it anew each second until Ctrl-C')
    .addHelpText('after', examples(['writ status', 'writ status --watch']))
    .action(run(status));
}

async function up(
  context: CliContext,
  _: readonly string[],
  options: { readonly foreground?: boolean },
): Promise<number> {
  const refused = (error: unknown): never => {
    throw runningAlready(context.home, error);
  };
  if (options.foreground === true) {
    const { serveNode } = await import('../../node/serve.ts');
    const how = { signal: context.signal, log: context.streams.err };
    return serveNode(context.home, context.environment, how).catch(refused);
  }
  const { startNode } = await import('../../lifecycle/start-node.ts');
  const started = await startNode(context.home, context.environment, context.clock).catch(refused);
  context.output.result(
    started,
    (s) => `running, pid ${s.pid}${s.listen === undefined ? '' : `, mesh on ${s.listen}`}`,
  );
  return EXIT.ok;
}

async function down(context: CliContext): Promise<number> {
  const { stopNode } = await import('../../lifecycle/stop-node.ts');
  const way = { connect: () => context.node(), bySignal: context.environment.taskAccess === undefined };
  const stopped = await stopNode(context.home, way, context.clock);
  context.output.result(stopped, (s) => `stopped, pid ${s.pid}`);
  return EXIT.ok;
}

async function status(
  context: CliContext,
  _: readonly string[],
  { watch }: { readonly watch?: boolean },
): Promise<number> {
  const { output, signal } = context;
  const node = context.node();
  const text = (now: OperationOutput<'node_status'>): string => statusText(now, output.step);
  if (watch === true) {
    try {
      await steadily(signal, async () => output.screen(await node.call('node_status', {}), text));
    } finally {
      output.screenEnd();
    }
    return EXIT.ok;
  }
  output.result(await node.call('node_status', {}), text);
  return EXIT.ok;
}

/** The state of a link, for a person: one without an address is no fault. */
function linkText(link: string): string {
  return link === 'none' ? 'dials in; it can ask here, and cannot be asked' : link;
}

function statusText(s: OperationOutput<'node_status'>, step: Output['step']): string {
  return [
    `${s.name}  ${s.id}`,
    `pid ${s.pid}, version ${s.version}, mesh ${s.mesh_address ?? 'dials out only'}, policy generation ${s.generation}`,
    ...(s.http_address === undefined ? [] : [`events over HTTP on ${s.http_address}`]),
    `tasks: ${s.running_here} live here, ${s.running_asked} asked of others; ${s.live_leases} leases lent`,
    `tasks that are over are kept for ${formatDuration(s.keep_tasks_ms)}`,
    ...(s.mesh_address === undefined ? [ONLY_ASKS] : []),
    ...s.peers.map((p) => `peer ${p.label}: ${p.enabled ? linkText(p.link) : 'disabled'}`),
    ...(s.clock_is_backwards ? [CLOCK] : []),
    ...(s.policy_error === undefined ? [] : [`warning: the last reload failed: ${s.policy_error}`]),
    ...(s.commands_problem === undefined ? [] : [`warning: every command is refused: ${s.commands_problem}`]),
    ...(s.policy_shut ? [SHUT] : []),
    ...(s.policy_parked === 0 ? [] : [`warning: ${s.policy_parked} changes wait for: writ policy reload --accept`]),
    ...(s.restart_needed.length === 0 ? [] : [restartText(s.restart_needed)]),
    `audit log: ${s.audit.rows} entries, ${s.audit.signed} of them signed`,
    ...(s.audit.problem === undefined
      ? []
      : [
          `warning: the audit log is ${s.audit.rows - s.audit.written} entries behind its rows: ${s.audit.problem}`,
          ...s.audit.next_steps.map(step),
        ]),
    ...(s.unreadable_rows.length === 0 ? [] : [unreadableText(s.unreadable_rows)]),
    ...fullShares(s.held_work).flatMap(({ says, mend }) => [`warning: ${says}`, ...mend.map(step)]),
    ...s.upstream_problems.map(({ upstream, problem }) => `warning: MCP server ${upstream}: ${problem}`),
    `sandbox: ${s.sandbox}`,
    ...(s.isolation_none.length === 0
      ? []
      : [`not in a sandbox: profiles ${s.isolation_none.join(', ')} have isolation = "none"`]),
    ...(s.unseparated ? [UNSEPARATED] : []),
  ].join('\n');
}
