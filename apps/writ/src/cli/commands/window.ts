import type { CliContext } from '../context.ts';
import { examples } from '../examples.ts';
import { EXIT } from '../exit-codes.ts';
import { table, timeLeft } from '../output.ts';
import type { Definitions } from '../program.ts';

export function defineWindow({ program, run }: Definitions): void {
  const window = program.command('window').description('what runs without asking, and how to end that');
  window
    .command('list')
    .description('the windows that are open')
    .addHelpText('after', examples(['writ window list']))
    .action(run(list));
  window
    .command('close')
    .description('close a window at once')
    .argument('<id>')
    .addHelpText('after', examples(['writ window close WINDOW']))
    .action(run(close));
}

async function list(context: CliContext): Promise<number> {
  const answer = await context.node().call('window_list', {});
  const now = context.clock.nowMs();
  context.output.result(answer, ({ windows }) =>
    windows.length === 0
      ? 'no window is open'
      : table(
          ['WINDOW', 'KIND', 'AGENT', 'SESSION', 'WORKSPACE', 'TARGET', 'PROFILE', 'STEPS', 'USES', 'LEFT'],
          windows.map((w) => [
            w.id,
            w.kind,
            w.agent,
            w.session,
            w.workspace ?? '-',
            w.target ?? '-',
            w.profile,
            w.steps === undefined ? 'any' : String(w.steps),
            w.max_uses === undefined ? String(w.uses) : `${w.uses}/${w.max_uses}`,
            timeLeft(w.expires_at_ms, now),
          ]),
        ),
  );
  return EXIT.ok;
}

async function close(context: CliContext, [id = '']: readonly string[]): Promise<number> {
  const answer = await context.node().call('window_close', { window: id });
  context.output.result(answer, (a) => (a.closed ? `window ${id} is closed` : `window ${id} was closed before`));
  return EXIT.ok;
}
