import { type Logger, quote } from '@writ/core';
import type { LeftOut } from './well-formed-tools.ts';

/** The key of the configuration that lets tools be called. */
export type Who = 'agents' | 'tasks';

/** What is wrong with one upstream server, as of its last use. */
export interface UpstreamProblems {
  /** That it is away, and why; undefined: it is up. */
  noteAway(reason: string | undefined): void;
  /** All tools that are left out of its last list; each is logged once. */
  noteLeftOut(leftOut: readonly LeftOut[]): void;
  /** How many of its tools `who` may call, and how many are offered at most; what is over is logged once. */
  noteAllowed(who: Who, count: number, most: number): void;
  /** Each in a sentence. */
  list(): readonly string[];
}

/** Nothing is wrong at first. */
export function createUpstreamProblems(logger: Logger, upstream: string): UpstreamProblems {
  let awayFor: string | undefined;
  let leftOut: readonly LeftOut[] = [];
  const crowds = new Map<Who, { readonly count: number; readonly most: number }>();
  return {
    noteAway(reason) {
      awayFor = reason;
    },
    noteLeftOut(found) {
      for (const { tool, why } of found) {
        if (leftOut.some((known) => known.tool === tool && known.why === why)) continue;
        logger.warn('a tool of an upstream server is left out', { upstream, tool, why });
      }
      leftOut = found;
    },
    noteAllowed(who, count, most) {
      const before = crowds.get(who)?.count;
      if (count <= most) crowds.delete(who);
      else crowds.set(who, { count, most });
      if (count > most && before !== count) {
        logger.warn('tools of an upstream server are left out: there are too many', { upstream, who, count, most });
      }
    },
    list: () => [
      ...(awayFor === undefined ? [] : [`it does not answer: ${awayFor}`]),
      ...leftOut.map(({ tool, why }) => `its tool ${quote(tool)} is left out: ${why}`),
      ...[...crowds].map(
        ([who, { count, most }]) =>
          `${who} may call ${count} of its tools, and are offered the first ${most}: name those that are needed in \`${who}\``,
      ),
    ],
  };
}
