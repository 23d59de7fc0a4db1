import type { CommandView, PeerCommands, SentCommands, WatchedCommand } from './types.ts';
import { isFinal } from './view.ts';

/** The same client, whose answers are kept: what a peer says last of a command is known here when it is away. */
export function noting(client: PeerCommands, peer: string, sent: SentCommands): PeerCommands {
  /** About what was asked for; what a peer calls it counts in the answer to the wish alone. */
  const note = (whose: { readonly key: string } | { readonly id: string }, view: CommandView): CommandView => {
    const { state, outcome, next } = view;
    const code = outcome === undefined ? {} : { code: outcome.code };
    sent.note(
      { ...whose, peer },
      { state, class: view.class, ...code },
      {
        isFinal: isFinal(view),
        ...('key' in whose ? { id: view.id } : {}),
        ...(next === undefined ? {} : { next }),
      },
    );
    return view;
  };
  return {
    async execute(request) {
      const answer = await client.execute(request);
      if (answer.accepted && 'command' in answer) note({ key: request.id }, answer.command);
      if (!answer.accepted) {
        sent.note({ key: request.id, peer }, { state: 'refused', code: answer.refusal.code }, { isFinal: false });
      }
      return answer;
    },
    watchExecution: (id, offset, signal) =>
      watchNoting(client.watchExecution(id, offset, signal), (view) => note({ id }, view)),
    cancelExecution: async (id) => note({ id }, await client.cancelExecution(id)),
  };
}

/** Each change once, up to the ending: a peer that talks on makes this node write no more. */
async function* watchNoting(
  items: AsyncIterable<WatchedCommand>,
  note: (view: CommandView) => void,
): AsyncGenerator<WatchedCommand> {
  let last: CommandView | undefined;
  for await (const item of items) {
    if (item.kind === 'state' && item.command.state !== last?.state && !(last !== undefined && isFinal(last))) {
      note(item.command);
      last = item.command;
    }
    yield item;
  }
}
