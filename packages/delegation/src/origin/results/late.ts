import { type Clock, LEAST_KEPT_MS } from '@writ/core';
import type { Mirror } from '@writ/task-store';
import { tellToCancel } from '../handover.ts';
import type { LateResults, OriginParts } from '../parts.ts';
import { createPeerLines, type RoundEnd } from '../peer-lines.ts';
import { takeEvents } from '../taking-events.ts';
import { isLocalFault, verdictOnAccepted } from '../verdicts.ts';
import { type Intake, openIntake } from './intake.ts';

/** How long after a round in vain the next one is made, milliseconds, doubling up to an hour: nobody waits for it. */
const FIRST_AGAIN_MS = 300_000;
const LONGEST_AGAIN_MS = 3_600_000;
/** How long a task of which nothing comes may keep the others of its peer waiting, milliseconds. */
const QUIET_MS = 60_000;
/** How long after it was given up a task is asked for while its peer is silent, milliseconds: so long it is here for sure. */
const AWAITED_MS = LEAST_KEPT_MS;
const PAGE = 500;

/** One task of a peer after the other, so that a peer has one stream of it. */
export function createLateResults(
  { clock, logger }: Pick<OriginParts, 'clock' | 'logger'>,
  partsOf: () => OriginParts,
): LateResults {
  /** By peer and task, with what has come of each result. */
  const awaited = new Map<string, Map<string, Intake>>();
  const lines = createPeerLines({
    ...{ clock, logger, what: 'late results' },
    open: (peer, signal) => () => askForAll(partsOf(), awaited.get(peer) ?? new Map(), signal),
    pauseMs: (failures) => Math.min(LONGEST_AGAIN_MS, FIRST_AGAIN_MS * 2 ** Math.min(failures, 10)),
  });

  function awaitMirror({ id, peer }: Mirror): void {
    const ofPeer = awaited.get(peer) ?? new Map<string, Intake>();
    if (!ofPeer.has(id)) ofPeer.set(id, openIntake(partsOf()));
    awaited.set(peer, ofPeer);
    lines.start(peer);
  }

  return {
    await(id) {
      const mirror = partsOf().closing() ? undefined : readAwaited(partsOf(), id);
      if (mirror !== undefined) awaitMirror(mirror);
    },
    awaitAll() {
      const { database, mirrors } = partsOf();
      let before: string | undefined;
      do {
        const filter = { states: ['lost'], limit: PAGE, ...(before === undefined ? {} : { before }) } as const;
        const page = database.withReadTx((tx) => mirrors.list(tx, filter));
        for (const mirror of page.filter(isGivenUp)) awaitMirror(mirror);
        before = page.length < PAGE ? undefined : page.at(-1)?.id;
      } while (before !== undefined);
    },
    async close() {
      await lines.close();
      const intakes = [...awaited.values()].flatMap((ofPeer) => [...ofPeer.values()]);
      // One that cannot be dropped keeps nothing else from being closed.
      for (const dropped of await Promise.allSettled(intakes.map((intake) => intake.drop()))) {
        if (dropped.status === 'rejected') logger.warn('late results: not dropped', { error: String(dropped.reason) });
      }
    },
  };
}

/** Where this cannot be read now, the next start looks again. */
function readAwaited(parts: OriginParts, id: string): Mirror | undefined {
  try {
    const mirror = parts.journal.get(id);
    return mirror !== undefined && isGivenUp(mirror) ? mirror : undefined;
  } catch (error) {
    parts.logger.error('a late result is not asked for', { task: id, error: String(error) });
    return undefined;
  }
}

/** One round over what is awaited of one peer; it ends at a task that fails, which is the last one of the next round. */
async function askForAll(parts: OriginParts, ofPeer: Map<string, Intake>, signal: AbortSignal): Promise<RoundEnd> {
  let moved = false;
  for (const [id, intake] of [...ofPeer]) {
    const came = await askFor(parts, id, intake, signal);
    if (signal.aborted) return 'done';
    if (came === 'waits') continue;
    ofPeer.delete(id);
    if (came === 'failed') ofPeer.set(id, intake);
    if (came === 'failed') break;
    await intake.drop();
    moved = true;
  }
  if (ofPeer.size === 0) return 'done';
  return moved ? 'on' : 'later';
}

/** `over`: there is nothing to wait for any more. */
async function askFor(
  parts: OriginParts,
  id: string,
  intake: Intake,
  signal: AbortSignal,
): Promise<'over' | 'waits' | 'failed'> {
  const mirror = readAwaited(parts, id);
  if (mirror === undefined) return 'over';
  const quiet = createQuiet(parts.clock);
  try {
    const client = parts.directory.client(mirror.peer);
    if (mirror.cancelRequestedAtMs !== undefined) tellToCancel(parts, mirror);
    const view = { intake, signal: AbortSignal.any([signal, quiet.signal]), progressed: quiet.begin };
    return (await takeEvents(parts, mirror, client, view)) ? 'over' : 'waits';
  } catch (error) {
    parts.logger.debug('an executor is still silent', { task: id, error: String(error) });
    if (isLocalFault(error) || !(verdictOnAccepted(error, '') || isTooOld(parts, mirror))) return 'failed';
    parts.journal.awaitNothing(id);
    return 'over';
  } finally {
    quiet.end();
  }
}

/** Aborts where nothing has come for a while. */
function createQuiet(clock: Pick<Clock, 'setTimer'>) {
  const over = new AbortController();
  let disarm = clock.setTimer(QUIET_MS, () => over.abort());
  return {
    signal: over.signal,
    begin(): void {
      disarm();
      disarm = clock.setTimer(QUIET_MS, () => over.abort());
    },
    end: (): void => disarm(),
  };
}

function isTooOld({ database }: OriginParts, { outcome }: Mirror): boolean {
  if (outcome === undefined || !database.isTimeBelieved()) return false;
  return database.nowMs() - outcome.endedAtMs > AWAITED_MS;
}

/** Ended here for want of an executor, which has not been heard of since. */
function isGivenUp({ state, outcome, unreachable }: Mirror): boolean {
  return state === 'lost' && outcome?.code === 'LOST' && unreachable;
}
