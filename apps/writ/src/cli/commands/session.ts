import type { CliContext } from '../context.ts';
import { examples } from '../examples.ts';
import { EXIT } from '../exit-codes.ts';
import { table } from '../output.ts';
import type { Definitions } from '../program.ts';

export function defineSession({ program, run }: Definitions): void {
  const session = program
    .command('session')
    .description("an agent's piece of work: what is approved for it ends with it");
  session
    .command('start')
    .description('start a session; prints its credential, for WRIT_SESSION in the environment of what belongs to it')
    .option('--agent <name>', 'the agent whose work it is', 'cli')
    .addHelpText(
      'after',
      examples([
        'export WRIT_SESSION="$(writ session start)"',
        'writ delegate --peer beta -- npm test',
        'writ session end',
      ]),
    )
    .action(run(start));
  session
    .command('list')
    .description('the sessions that are open')
    .addHelpText('after', examples(['writ session list']))
    .action(run(list));
  session
    .command('end')
    .description('end a session, with its questions, its windows and its commands that have not started')
    .argument('[id]', 'absent: that of WRIT_SESSION')
    .addHelpText('after', examples(['writ session end']))
    .action(run(end));
}

async function start(context: CliContext, _: readonly string[], options: { readonly agent: string }): Promise<number> {
  const started = await context.node().call('session_start', { agent: options.agent });
  context.output.note(`session ${started.session} of agent ${started.agent}`);
  context.output.result(started, (s) => s.credential);
  return EXIT.ok;
}

async function list(context: CliContext): Promise<number> {
  const answer = await context.node().call('session_list', {});
  context.output.result(answer, ({ sessions }) =>
    sessions.length === 0
      ? 'no session is open'
      : table(
          ['SESSION', 'AGENT', 'SINCE'],
          sessions.map((s) => [s.session, s.agent, new Date(s.started_at_ms).toISOString()]),
        ),
  );
  return EXIT.ok;
}

async function end(context: CliContext, [id]: readonly string[]): Promise<number> {
  const answer = await context.node().call('session_end', id === undefined ? {} : { session: id });
  context.output.result(answer, (a) =>
    a.ended
      ? `session ${a.session} has ended${a.peers === 0 ? '' : `; ${a.peers} other nodes are told`}`
      : `session ${a.session} had ended before`,
  );
  return EXIT.ok;
}
