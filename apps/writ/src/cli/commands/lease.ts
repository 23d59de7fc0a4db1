import type { ControlClient, LeaseView, OperationInput } from '@writ/gateway/client';
import { type AnswerOptions, askAndAnswer, isAnswerNeeded } from '../approver/answering.ts';
import { keyOption } from '../approver/key-option.ts';
import { type ConfirmOptions, confirm, YES_OPTION } from '../confirm.ts';
import type { CliContext } from '../context.ts';
import { examples } from '../examples.ts';
import { EXIT } from '../exit-codes.ts';
import { table, timeLeft } from '../output.ts';
import type { Definitions } from '../program.ts';
import { readCount, USES } from '../read-count.ts';
import { lendingOption } from '../span.ts';
import { defineLeaseRequest } from './lease-request.ts';

export function defineLease({ program, run }: Definitions): void {
  const lease = program.command('lease').description('lend a profile to a peer for a while, and take it back');
  keyOption(
    lease
      .command('grant')
      .description('lend a profile to a peer (or `self`)')
      .argument('<peer>', 'label or id of the peer')
      .argument('<profile>', 'the profile to lend')
      .requiredOption('--for <duration>', 'how long, such as `8h`, `90m` or `"until 18:00"`')
      .option('--workspace <name...>', 'only in these workspaces')
      .option('--uses <count>', 'how often it may be used')
      .option('--origin <label>', 'for work of this node that comes through the peer; absent: for its own work')
      .addHelpText('after', examples(['writ lease grant laptop repo-dev --for 8h'])),
  ).action(run(grant));
  lease
    .command('list')
    .description('what is lent')
    .option('--peer <label>', 'to this peer only')
    .option('--all', 'also expired and revoked ones')
    .addHelpText('after', examples(['writ lease list --peer laptop']))
    .action(run(list));
  keyOption(
    lease
      .command('accept-clock')
      .description('accept a wall clock that went back; ends every lease with it')
      .option(...YES_OPTION)
      .addHelpText('after', examples(['writ lease accept-clock', 'writ lease accept-clock --yes'])),
  ).action(run(acceptClock));
  lease
    .command('revoke')
    .description('take a lease back at once')
    .argument('<id>')
    .addHelpText('after', examples(['writ lease revoke LEASE']))
    .action(run(revoke));
  lease
    .command('show')
    .description('one lease, dead or alive')
    .argument('<id>')
    .addHelpText('after', examples(['writ lease show LEASE']))
    .action(run(show));
  keyOption(
    lease
      .command('renew')
      .description('let a lease end later, within its own maximum')
      .argument('<id>')
      .requiredOption('--for <duration>', 'how long from now on, such as `8h` or `"until 18:00"`'),
  )
    .addHelpText('after', examples(['writ lease renew LEASE --for 2h']))
    .action(run(renew));
  defineLeaseRequest(lease, run);
}

interface GrantOptions extends AnswerOptions {
  readonly for: string;
  readonly workspace?: readonly string[];
  readonly uses?: string;
  readonly origin?: string;
}

async function grant(
  context: CliContext,
  [peer = '', profile = '']: readonly string[],
  options: GrantOptions,
): Promise<number> {
  const terms: OperationInput<'lease_grant'> = {
    peer,
    profile,
    ...lendingOption('--for', options.for, context),
    ...(options.workspace ? { workspaces: [...options.workspace] } : {}),
    ...(options.uses === undefined ? {} : { max_uses: readCount(options.uses, USES) }),
    ...(options.origin === undefined ? {} : { origin: options.origin }),
  };
  const lease = await lend(context, terms, options);
  context.output.result(
    lease,
    (l) => `lease ${l.id}: ${l.profile} for ${peer}, ${timeLeft(l.expires_at_ms, context.clock.nowMs())} left`,
  );
  return EXIT.ok;
}

/** Lends at once where nobody answers on this node; else asks, and what is lent has the id of the question. */
async function lend(
  context: CliContext,
  terms: OperationInput<'lease_grant'>,
  options: AnswerOptions,
): Promise<LeaseView> {
  const node = context.node();
  if (!(await isAnswerNeeded(node))) return (await node.call('lease_grant', terms)).lease;
  const { id } = await askAndAnswer(context, node, { kind: 'lease_grant', ...terms }, options);
  return (await node.call('lease_show', { lease: id })).lease;
}

async function renew(
  context: CliContext,
  [id = '']: readonly string[],
  options: AnswerOptions & { readonly for: string },
): Promise<number> {
  const node = context.node();
  const terms = { lease: id, ...lendingOption('--for', options.for, context) };
  if (await isAnswerNeeded(node)) await askAndAnswer(context, node, { kind: 'lease_renew', ...terms }, options);
  else await node.call('lease_renew', terms);
  const { lease } = await node.call('lease_show', { lease: id });
  context.output.result(lease, (l) => `lease ${l.id}: ${timeLeft(l.expires_at_ms, context.clock.nowMs())} left`);
  return EXIT.ok;
}

async function show(context: CliContext, [id = '']: readonly string[]): Promise<number> {
  const { lease } = await context.node().call('lease_show', { lease: id });
  const now = context.clock.nowMs();
  context.output.result(lease, (l) =>
    [
      `lease ${l.id}: ${l.profile} for ${l.peer} (${l.peer_id})`,
      `for work of ${l.origin}, ${l.session === undefined ? 'every session' : `session ${l.session}`}`,
      `holds ${l.closure.join(', ')}`,
      `workspaces: ${l.workspaces.length === 0 ? 'all that the peer has' : l.workspaces.join(', ')}`,
      `issued by ${l.issued_by_label ?? l.issued_by}, ${new Date(l.issued_at_ms).toISOString()}`,
      `used ${l.max_uses === undefined ? l.uses : `${l.uses} of ${l.max_uses}`} times`,
      l.revoked_at_ms === undefined ? `left: ${timeLeft(l.expires_at_ms, now)}` : 'revoked',
    ].join('\n'),
  );
  return EXIT.ok;
}

async function list(
  context: CliContext,
  _: readonly string[],
  options: { readonly peer?: string; readonly all?: boolean },
): Promise<number> {
  const answer = await context.node().call('lease_list', {
    ...(options.peer === undefined ? {} : { peer: options.peer }),
    all: options.all === true,
  });
  const now = context.clock.nowMs();
  context.output.result(answer, ({ leases }) =>
    leases.length === 0
      ? 'nothing is lent'
      : table(
          ['LEASE', 'PEER', 'PROFILE', 'WORKSPACES', 'SESSION', 'USES', 'LEFT'],
          leases.map((l) => [
            l.id,
            l.peer,
            l.profile,
            l.workspaces.length === 0 ? 'all' : l.workspaces.join(','),
            l.session ?? 'any',
            l.max_uses === undefined ? String(l.uses) : `${l.uses}/${l.max_uses}`,
            l.revoked_at_ms === undefined ? timeLeft(l.expires_at_ms, now) : 'revoked',
          ]),
        ),
  );
  return EXIT.ok;
}

async function revoke(context: CliContext, [id = '']: readonly string[]): Promise<number> {
  const answer = await context.node().call('lease_revoke', { lease: id });
  context.output.result(answer, (a) => (a.revoked ? `lease ${id} is revoked` : `lease ${id} was revoked before`));
  return EXIT.ok;
}

async function acceptClock(
  context: CliContext,
  _: readonly string[],
  options: AnswerOptions & ConfirmOptions,
): Promise<number> {
  await confirm(context, options, {
    what: 'every lease and window ends with it',
    retype: 'writ lease accept-clock',
    unless: ['where an approver is enrolled, at a terminal, for the passphrase: writ lease accept-clock'],
  });
  const node = context.node();
  const answer = { revoked: await endByClock(context, node, options) };
  context.output.result(answer, (a) => `the clock is accepted; ${a.revoked} leases ended with it`);
  return EXIT.ok;
}

/** At once where nobody answers on this node, else by a signed yes; how many leases ended with it. */
async function endByClock(context: CliContext, node: ControlClient, options: AnswerOptions): Promise<number> {
  if (!(await isAnswerNeeded(node))) return (await node.call('clock_accept', {})).revoked;
  const { leases } = await node.call('lease_list', { all: true });
  await askAndAnswer(context, node, { kind: 'clock' }, options);
  return leases.filter(({ revoked_at_ms: revoked }) => revoked === undefined).length;
}
