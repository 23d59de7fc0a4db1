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
        // Something takes the place of what has ended, and of nothing else.
        ...(next === undefined || !isFinal(view) ? {} : { next }),
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

/** Changes of one command that a watch notes; it has half as many at most. */
const MOST_CHANGES = 16;

/** Each change once, up to the ending: a peer that talks on makes this node write no more. */
async function* watchNoting(
  items: AsyncIterable<WatchedCommand>,
  note: (view: CommandView) => void,
): AsyncGenerator<WatchedCommand> {
  let last: CommandView | undefined;
  let changes = 0;
  for await (const item of items) {
    const isOver = changes === MOST_CHANGES || (last !== undefined && isFinal(last));
    if (item.kind === 'state' && item.command.state !== last?.state && !isOver) {
      note(item.command);
      last = item.command;
      changes += 1;
    }
    yield item;
  }
}
