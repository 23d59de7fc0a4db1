import type { CommandCaller, CommandSpec, CommandView, WishAnswer } from '../types.ts';
import { type DeskFixture, type HeldProcess, IN_A } from './desk-fixture.ts';

/** What tests do with a desk; `at` is asked each time, so that each test has its own. */
export function createDeskVerbs(at: () => DeskFixture) {
  let keys = 0;
  /** Under a key of its own, unless one is given. */
  const answer = (caller: CommandCaller, command: CommandSpec, key?: string): Promise<WishAnswer> => {
    keys += 1;
    return at().desk.ask(caller, { kind: 'command', command }, key ?? `key ${keys}`);
  };
  return {
    answer,
    async ask(command: CommandSpec, caller = IN_A, key?: string): Promise<CommandView> {
      const said = await answer(caller, command, key);
      if (said.accepted && 'command' in said) return said.command;
      throw new Error(said.accepted ? 'a question' : `${said.refusal.code}: ${said.refusal.message}`);
    },
    async started({ id }: Pick<CommandView, 'id'>): Promise<HeldProcess> {
      for await (const item of at().desk.watch({ kind: 'host' }, id, 0, new AbortController().signal)) {
        if (item.kind === 'state' && item.command.state !== 'running') continue;
        const process = at().processes.get(id);
        if (process !== undefined) return process;
        // It runs, and its process comes in the same turn.
        await new Promise((resolve) => setImmediate(resolve));
      }
      throw new Error(`${id} was not started: ${JSON.stringify(at().desk.show(IN_A, id))}`);
    },
    /** The last that is told of it. */
    async ended({ id }: Pick<CommandView, 'id'>): Promise<CommandView> {
      let last: CommandView | undefined;
      for await (const item of at().desk.watch({ kind: 'host' }, id, 0, new AbortController().signal)) {
        if (item.kind === 'state') last = item.command;
      }
      return last as CommandView;
    },
  };
}
