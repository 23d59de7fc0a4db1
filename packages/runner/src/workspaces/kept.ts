import { quote, WritError } from '@writ/core';
import type { Attempt } from './attempt.ts';
import { createKeptFolders, type KeptOptions } from './kept-folders.ts';
import { lookAtKept } from './kept-looks.ts';
import { readRecord } from './record.ts';
import { countedBytes, dueAtMs, dueForRemoval, heldBySender, lifeOf } from './retention.ts';
import type { Fate, HeldWork, KeptWorkspace, ListedWorkspace, Removal, SweepOrder } from './types.ts';

/** What is kept of runs that are over. */
export interface KeptWorkspaces {
  /** Takes over what an earlier process left: what it kept, and what it was at work in when it ended. */
  adopt(): Promise<void>;
  /** Keeps the clone of an attempt and removes the rest of its folder. False where the rules keep nothing of it. */
  keep(attempt: Attempt, end: Fate): Promise<boolean>;
  list(): readonly ListedWorkspace[];
  /** Bytes of all of them. */
  bytes(): number;
  /** What they count towards the budget, bytes. */
  counted(): number;
  /** What nothing removes by itself, sender by sender. */
  held(): readonly HeldWork[];
  /** Removes what has had its time or is over the budget. Returns how many. */
  clear(): Promise<number>;
  /** Looks at those of which nobody knows what they hold, those first that were looked at least; not at all of them for ever. */
  look(order: Pick<SweepOrder, 'holdsWork' | 'signal'>): Promise<void>;
  /** Removes what a person names. Throws NOT_FOUND, CONFLICT where it is unbundled work and that was not said. */
  remove(removal: Removal): Promise<readonly KeptWorkspace[]>;
}

export function createKeptWorkspaces(options: KeptOptions): KeptWorkspaces {
  const { rules, isTimeBelieved, otherBytes, clock, logger } = options;
  const folders = createKeptFolders(options);
  const all = (): readonly KeptWorkspace[] => [...folders.entries.values()];

  /** One after the other, as things are then: others remove and keep meanwhile. What cannot go takes room until the next look. */
  async function makeRoom(): Promise<number> {
    const stuck = new Set<string>();
    const byMs = (): number => (isTimeBelieved() ? clock.nowMs() : Number.NEGATIVE_INFINITY);
    const next = (): KeptWorkspace | undefined =>
      dueForRemoval(all(), rules(), byMs(), otherBytes()).find(({ id }) => !stuck.has(id));
    let dropped = 0;
    for (let one = next(); one !== undefined; one = next()) {
      stuck.add(one.id);
      try {
        if (await folders.drop(one)) dropped += 1;
      } catch (error) {
        logger.error('a kept workspace cannot be removed', { workspace: one.id, error: String(error) });
      }
    }
    return dropped;
  }

  return {
    adopt: folders.adopt,
    async keep({ folder }, { state, unbundled }) {
      const record = await readRecord(folder);
      if (record === 'absent') return false;
      if (unbundled === 'none' && lifeOf({ state }, rules()) === undefined) return false;
      const end = { state, unbundled, atMs: clock.nowMs() };
      await folders.take(folder, record === 'unreadable' ? undefined : { ...record, end });
      await makeRoom();
      return true;
    },
    list: () =>
      all().map((one) => {
        const due = dueAtMs(one.end, rules());
        return due === undefined ? one : { ...one, dueAtMs: due };
      }),
    bytes: () => sum(all()),
    counted: () => countedBytes(all(), rules(), otherBytes()),
    held: () => heldBySender(all(), rules(), otherBytes()),
    async clear() {
      await folders.writeAgain();
      return makeRoom();
    },
    look: (order) => lookAtKept(folders, order, options),
    async remove({ which, unbundled, removed }) {
      const wanted = which === undefined ? bundled(all()) : named(all(), which);
      const held = unbundled ? undefined : wanted.find(({ end }) => end.unbundled !== 'none');
      if (held !== undefined) throw holdsUnbundled(held);
      const gone: KeptWorkspace[] = [];
      const failures: unknown[] = [];
      for (const one of wanted) {
        try {
          if (await folders.drop(one)) gone.push(one);
        } catch (error) {
          failures.push(error);
        }
      }
      if (gone.length > 0) removed(gone);
      if (failures.length > 0) throw failures[0];
      return gone;
    },
  };
}

function sum(kept: readonly KeptWorkspace[]): number {
  return kept.reduce((total, { bytes }) => total + bytes, 0);
}

function bundled(kept: readonly KeptWorkspace[]): readonly KeptWorkspace[] {
  return kept.filter(({ end }) => end.unbundled === 'none');
}

function named(kept: readonly KeptWorkspace[], which: readonly string[]): readonly KeptWorkspace[] {
  const found = which.flatMap((name) => {
    const ones = kept.filter(({ id, record }) => id === name || record?.task === name);
    if (ones.length > 0) return ones;
    throw new WritError('NOT_FOUND', `no workspace is kept that is, or is of, ${quote(name)}`, {
      nextSteps: ['writ workspace list'],
    });
  });
  return [...new Set(found)];
}

function holdsUnbundled({ id, end, record }: KeptWorkspace): WritError {
  const what = end.unbundled === 'some' ? 'holds changes that are' : 'may hold changes that are';
  return new WritError('CONFLICT', `workspace ${quote(id)} ${what} kept nowhere else`, {
    details: { workspace: id, task: record?.task ?? null },
    nextSteps: [
      'look at it: writ workspace list shows its folder',
      `writ workspace prune --unbundled ${id} removes it`,
    ],
  });
}
