import { type Logger, quote } from '@writ/core';
import type { LeftOut } from './well-formed-tools.ts';

/** What is wrong with one upstream server, as of its last use. */
export interface UpstreamProblems {
  /** That it is away, and why; undefined: it is up. */
  noteAway(reason: string | undefined): void;
  /** All tools that are left out of its last list; each is logged once. */
  noteLeftOut(leftOut: readonly LeftOut[]): void;
  /** Each in a sentence. */
  list(): readonly string[];
}

/** Nothing is wrong at first. */
export function createUpstreamProblems(logger: Logger, upstream: string): UpstreamProblems {
  let awayFor: string | undefined;
  let leftOut: readonly LeftOut[] = [];
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
    list: () => [
      ...(awayFor === undefined ? [] : [`it does not answer: ${awayFor}`]),
      ...leftOut.map(({ tool, why }) => `its tool ${quote(tool)} is left out: ${why}`),
    ],
  };
}
