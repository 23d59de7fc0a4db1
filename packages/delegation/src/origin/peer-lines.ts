import { type Clock, type Logger, pause } from '@writ/core';

/** What one round came to. `on`: the next one follows at once · `later`: after a pause · `done`: nothing is left. */
export type RoundEnd = 'on' | 'later' | 'done';

/** How peers are told, or asked for, what is owed: one peer in one line, so that no two rounds of it overlap. */
export interface PeerLineOptions {
  readonly clock: Pick<Clock, 'setTimer'>;
  readonly logger: Logger;
  /** For the log. */
  readonly what: string;
  /** Begins a line: the function that it gives makes the rounds, one after the other. */
  readonly open: (peer: string, signal: AbortSignal) => () => Promise<RoundEnd>;
  /** How long to wait after the `failures`-th round in a row that ended with `later`, milliseconds. */
  readonly pauseMs: (failures: number) => number;
}

export interface PeerLines {
  /** Something is owed to this peer. */
  start(peer: string): void;
  close(): Promise<void>;
}

/** A round that throws is made again after a pause, like one that ends with `later`. */
export function createPeerLines(options: PeerLineOptions): PeerLines {
  const closing = new AbortController();
  const { signal } = closing;
  const lines = new Map<string, Promise<void>>();
  /** Where something became owed while a line was there, which may have looked before. */
  const again = new Set<string>();

  function start(peer: string): void {
    if (signal.aborted) return;
    if (lines.has(peer)) {
      again.add(peer);
      return;
    }
    const line = run(options, peer, signal).finally(() => {
      lines.delete(peer);
      if (again.delete(peer)) start(peer);
    });
    lines.set(peer, line);
  }

  return {
    start,
    async close() {
      closing.abort();
      await Promise.all(lines.values());
    },
  };
}

async function run(
  { clock, logger, what, open, pauseMs }: PeerLineOptions,
  peer: string,
  signal: AbortSignal,
): Promise<void> {
  // What comes in the same turn goes out together.
  await Promise.resolve();
  const round = open(peer, signal);
  let failures = 0;
  while (!signal.aborted) {
    const end = await round().catch((error: unknown): RoundEnd => {
      logger.debug(`${what}: not yet`, { peer, error: String(error) });
      return 'later';
    });
    if (end === 'done') return;
    if (end === 'on') {
      failures = 0;
      continue;
    }
    await pause(clock, pauseMs(failures), signal);
    failures += 1;
  }
}
