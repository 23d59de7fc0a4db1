import { formatDuration, formatSize } from '@writ/core';
import type { StreamItem } from '@writ/gateway/client';
import type { CliContext } from './context.ts';

/** The line under the output of a task that is followed at a terminal. */
export interface FollowProgress {
  saw(event: StreamItem<'task_watch'>): void;
  /** Takes the line away. */
  end(): void;
}

/** How often the line is drawn, milliseconds. */
const EVERY_MS = 1_000;

/** Says each second how a task stands, for how long, and how much it wrote; silent where no terminal shows it. */
export function followProgress({ output, clock }: Pick<CliContext, 'output' | 'clock'>): FollowProgress {
  let state = 'submitted';
  let sinceMs = clock.monotonicMs();
  let bytes = 0;
  const draw = (): void => {
    const seconds = Math.floor((clock.monotonicMs() - sinceMs) / 1000);
    const wrote = bytes === 0 ? '' : `, wrote ${formatSize(bytes)}`;
    output.progress(`${state} for ${formatDuration(seconds * 1000)}${wrote}; Ctrl-C to stop`);
  };
  const stop = clock.setEvery(EVERY_MS, draw);
  return {
    saw(event) {
      if (event.kind === 'output') bytes += event.length;
      if (event.kind !== 'state' || event.state === state) return;
      state = event.state;
      sinceMs = clock.monotonicMs();
    },
    end() {
      stop();
      output.progress(undefined);
    },
  };
}
