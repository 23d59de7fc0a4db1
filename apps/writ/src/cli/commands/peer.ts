import { createInterface } from 'node:readline/promises';
import { formatDuration, quote, WritError } from '@writ/core';
import type { ControlClient } from '@writ/gateway/client';
import { type AnswerOptions, answerAt } from '../approver/answering.ts';
import { keyOption } from '../approver/key-option.ts';
import { type ConfirmOptions, confirm, YES_OPTION } from '../confirm.ts';
import type { CliContext } from '../context.ts';
import { examples } from '../examples.ts';
import { EXIT } from '../exit-codes.ts';
import { table } from '../output.ts';
import type { Definitions } from '../program.ts';
import { spanFromYes } from '../span.ts';

export function definePeer({ program, run }: Definitions): void {
  const peer = program.command('peer').description('pair with other nodes');
  const inviting = peer
    .command('invite')
    .description('print a code with which one other node may join, and wait for it')
    .option('--profiles <names>', 'what it may ask for here, comma-separated', 'query')
    .option('--workspaces <names>', 'where, comma-separated')
    .option('--lease <duration>', 'lend it the high-risk ones of these profiles for so long')
    .option('--address <host:port>', 'where the other node reaches this one; absent: its first address')
    .addHelpText('after', examples(['writ peer invite --profiles query,repo-dev --workspaces app --lease 8h']));
  keyOption(inviting).action(run(invite));
  keyOption(peer.command('join').description('join the node that made this code').argument('<code>'))
    .addHelpText('after', examples(['writ peer join CODE']))
    .action(run(join));
  peer
    .command('list')
    .description('the peers of this node')
    .addHelpText('after', examples(['writ peer list']))
    .action(run(list));
  peer
    .command('show')
    .description('one peer, and what it says of itself')
    .argument('<label>')
    .addHelpText('after', examples(['writ peer show beta']))
    .action(run(show));
  peer
    .command('remove')
    .description('end the trust in a peer at once')
    .argument('<label>')
    .option(...YES_OPTION)
    .addHelpText('after', examples(['writ peer remove beta', 'writ peer remove beta --yes']))
    .action(run(remove));
}

interface InviteOptions extends AnswerOptions {
  readonly profiles: string;
  readonly workspaces?: string;
  readonly lease?: string;
  readonly address?: string;
}

async function invite(context: CliContext, _: readonly string[], options: InviteOptions): Promise<number> {
  const node = context.node();
  const { output } = context;
  const input = {
    profiles: names(options.profiles),
    workspaces: names(options.workspaces ?? ''),
    ...(options.lease === undefined ? {} : { lease: spanFromYes('--lease', options.lease, context) }),
    ...(options.address === undefined ? {} : { address: options.address }),
  };
  let id = '';
  let isProved = false;
  // Ctrl-C is a no: the code must not stay good after its screen is gone. While the person is asked, that is the answer.
  const withdraw = (): void => {
    if (!isProved) node.call('peer_confirm', { invite: id, accept: false }).catch((error) => output.failure(error));
  };
  for await (const event of node.stream('peer_invite', input)) {
    output.item(event, (e) => (e.kind === 'invite' ? e.code : undefined));
    switch (event.kind) {
      case 'invite':
        id = event.id;
        if (context.signal.aborted) withdraw();
        context.signal.addEventListener('abort', withdraw, { once: true });
        output.note('type on the other machine:');
        output.note(`  writ peer join ${event.code}`);
        output.note('waiting for it (ten minutes; Ctrl-C to withdraw)');
        break;
      case 'proved': {
        isProved = true;
        output.note(`${event.label} (${event.peer_id}) joins. Its screen must show the same words:`);
        output.note(`  ${output.colors.bold(event.words)}`);
        await answerPeer(context, node, { invite: id, approval: event.approval }, options);
        break;
      }
      case 'paired':
        output.note(`${output.colors.green('paired')} with ${event.label}`);
        return EXIT.ok;
      case 'refused':
        output.note(`refused; nothing was stored${event.why === undefined ? '' : `: ${event.why}`}`);
        for (const step of event.next_steps ?? []) output.note(output.step(step));
        return EXIT.denied;
      default:
        output.note('the invite has expired; nobody joined');
        return EXIT.denied;
    }
  }
  return EXIT.denied;
}

/** A yes of this machine where nobody else answers here, else that of an approver, to the question that waits. */
async function answerPeer(
  context: CliContext,
  node: ControlClient,
  { invite, approval: id }: { readonly invite: string; readonly approval: string | undefined },
  options: AnswerOptions,
): Promise<void> {
  if (id === undefined) {
    await node.call('peer_confirm', { invite, accept: await askYes(context, 'are they the same?') });
    return;
  }
  try {
    await answerPeerQuestion(context, node, id, options);
  } catch (error) {
    // Nobody is left who would answer, and whoever proved the code must not wait.
    await node.call('peer_confirm', { invite, accept: false }).catch(() => undefined);
    throw error;
  }
}

async function answerPeerQuestion(
  context: CliContext,
  node: ControlClient,
  id: string,
  options: AnswerOptions,
): Promise<void> {
  const terminal = context.terminal();
  try {
    const { approval } = await node.call('approval_show', { approval: id });
    await answerAt(context, { node, terminal, options }, approval);
  } finally {
    terminal.close();
  }
}

/** Asks on the terminal; without one a line of standard input (`yes` or anything else) is the answer. */
async function askYes(context: CliContext, question: string): Promise<boolean> {
  const { in: input, err } = context.streams;
  const lines = createInterface({ input, output: err, terminal: false, signal: context.signal });
  try {
    if (!context.output.json) err.write(`${question} [yes/no] `);
    const { value, done } = await lines[Symbol.asyncIterator]().next();
    return done !== true && /^y(es)?$/i.test(value.trim());
  } finally {
    lines.close();
  }
}

async function join(context: CliContext, [code = '']: readonly string[], options: AnswerOptions): Promise<number> {
  const { output } = context;
  const node = context.node();
  for await (const event of node.stream('peer_join', { code }, { signal: context.signal })) {
    output.item(event, () => undefined);
    if (event.kind === 'proved') {
      output.note(`${event.label} (${event.peer_id}) answers. Its screen must show the same words:`);
      output.note(`  ${output.colors.bold(event.words)}`);
      output.note('waiting for a yes over there');
      continue;
    }
    if (event.kind === 'asked') {
      await answerPeerQuestion(context, node, event.approval, options);
      continue;
    }
    output.note(`${output.colors.green('paired')} with ${event.label}`);
    const lease = event.lease_ms === undefined ? '' : `, high-risk ones lent for ${formatDuration(event.lease_ms)}`;
    output.note(
      `you may ask it for: ${event.profiles.join(', ') || 'nothing'}${lease}; workspaces: ${event.workspaces.join(', ') || 'none'}`,
    );
    output.note(`try: writ delegate --peer ${event.label} --profile ${event.profiles[0] ?? 'query'} -- true`);
    return EXIT.ok;
  }
  throw new WritError('INVITE_INVALID', 'the other node ended the exchange', { nextSteps: ['ask for a new invite'] });
}

async function list(context: CliContext): Promise<number> {
  const answer = await context.node().call('peer_list', {});
  context.output.result(answer, ({ peers }) =>
    peers.length === 0
      ? 'no peers; writ peer invite makes one'
      : table(
          ['PEER', 'LINK', 'ADDRESS', 'MAY ASK HERE', 'WE MAY ASK', 'ID'],
          peers.map((p) => [
            p.label,
            p.enabled ? (p.link === 'none' ? 'dials in' : p.link) : 'disabled',
            p.address ?? '-',
            p.profiles.join(',') || '-',
            p.outbound_profiles.join(',') || '-',
            p.id,
          ]),
        ),
  );
  return EXIT.ok;
}

async function show(context: CliContext, [label = '']: readonly string[]): Promise<number> {
  const answer = await context.node().call('peer_show', { peer: label });
  context.output.result(answer, (shown) => JSON.stringify(shown, null, 2));
  return EXIT.ok;
}

async function remove(context: CliContext, [label = '']: readonly string[], options: ConfirmOptions): Promise<number> {
  await confirm(context, options, {
    what: `this ends the trust in ${quote(label)} and all work for it`,
    retype: `writ peer remove ${label}`,
  });
  const answer = await context.node().call('peer_remove', { peer: label });
  context.output.result(answer, (a) => `${a.label} is no peer any more (policy generation ${a.generation})`);
  return EXIT.ok;
}

function names(list: string): string[] {
  return list
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
}
