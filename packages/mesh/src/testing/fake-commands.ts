import type { CommandCaller, CommandDesk, CommandView, WatchedCommand, Wish, WishAnswer } from '@writ/commands';
import { WritError } from '@writ/core';

/** A desk that runs nothing: a test says what happens. */
export interface FakeCommands extends CommandDesk {
  readonly asked: { readonly caller: CommandCaller; readonly wish: Wish; readonly key: string }[];
  answer: WishAnswer;
  /** Commands by the node id of the peer whose they are. */
  readonly owned: Map<string, CommandView>;
  /** What a watch tells. */
  told: readonly WatchedCommand[];
}

export const COMMAND: CommandView = {
  ...{
    id: 'execution-1',
    state: 'pending_approval',
    why: 'waits',
    class: 'config-mutation',
    needs: ['manage_services'],
  },
  ...{ profile: 'ops', argv: ['systemctl', 'restart', 'nginx'], cwd: '/', requestedBy: 'self', createdAtMs: 1 },
  expiresAtMs: 2,
};

export function createFakeCommands(): FakeCommands {
  const owned = new Map<string, CommandView>();
  const own = (caller: CommandCaller, id: string): CommandView => {
    const found = caller.kind === 'peer' ? owned.get(caller.id) : undefined;
    if (found?.id !== id) throw new WritError('NOT_FOUND', 'no execution of yours here');
    return found;
  };
  return {
    asked: [],
    answer: { accepted: true, command: COMMAND },
    owned,
    told: [],
    async ask(caller, wish, key) {
      this.asked.push({ caller, wish, key });
      return this.answer;
    },
    show: own,
    list: () => [],
    async *watch(caller, id) {
      own(caller, id);
      yield* this.told;
    },
    cancel: async (caller, id) => ({ ...own(caller, id), state: 'cancelled' }),
  };
}
