import { describe, expect, it } from 'vitest';
import { createHeldRoom, filesToLookAt, preparingTurn, tooMany } from './preparing.ts';
import type { CommandFiles } from './types.ts';

const ALPHA = { requestedBy: 'wn-a', session: 's' };
const BETA = { requestedBy: 'wn-b', session: 's' };
const SELF = { requestedBy: 'self', session: 's' };
const CALL = { requestedBy: 'self', session: 'key-1' };

/** Files of one size, copied or left where they are. */
function createFiles({ sizeBytes, isCopy = true }: { readonly sizeBytes: number; readonly isCopy?: boolean }) {
  const held = { count: 0, most: 0, read: 0 };
  const release = async (): Promise<void> => {
    held.count -= 1;
  };
  const file = { sha256: '', sizeBytes, heldPath: '/held', isCopy, release };
  const files: CommandFiles = {
    inspect: async (realPath) => ({
      ...{ kind: 'file', realPath, device: '1', inode: '1', born: '0', sizeBytes, isExecutable: true },
    }),
    async hold() {
      held.count += 1;
      return file;
    },
    async read() {
      held.read += 1;
      return { ...file, isCopy: false, release: async () => undefined };
    },
  };
  return { files, held };
}

describe('room for what commands hold', () => {
  it('is bounded for each lane and for all peers, by the size that files say, and comes back with what is released', async () => {
    const { files, held } = createFiles({ sizeBytes: 40 });
    const room = createHeldRoom(files, { each: 100, ofPeers: 140 });
    const hold = async (asker: Parameters<typeof room.filesOf>[0]) => {
      const roomy = room.filesOf(asker);
      const file = await roomy.hold('/x', 100);
      expect(roomy.lacksRoom()).toBe(file === undefined);
      return file;
    };
    const first = await hold(ALPHA);
    expect(await hold({ ...ALPHA, session: 'other', task: 't1' })).toBeDefined();
    expect(await hold(ALPHA)).toBeUndefined();
    expect(await hold({ ...ALPHA, task: 't2' })).toBeUndefined();
    expect(await hold(BETA)).toBeDefined();
    expect(await hold(BETA)).toBeUndefined();
    // What peers hold takes nothing of this node's, and its agents nothing of what is asked without a session.
    for (const asker of [SELF, { ...SELF, task: 't3' }]) expect(await hold(asker)).toBeDefined();
    expect(await hold(SELF)).toBeUndefined();
    expect(await hold(CALL)).toBeDefined();
    expect(held.count).toBe(6);
    await first?.release();
    expect(await hold(BETA)).toBeDefined();
    expect(await hold(ALPHA)).toBeUndefined();
  });

  it('is not lacking for what is larger than its command may hold, and not taken by what stays in place', async () => {
    const large = createHeldRoom(createFiles({ sizeBytes: 40 }).files, { each: 100, ofPeers: 100 }).filesOf(SELF);
    expect([await large.hold('/x', 39), large.lacksRoom()]).toEqual([undefined, false]);
    const inPlace = createHeldRoom(createFiles({ sizeBytes: 40, isCopy: false }).files, { each: 50, ofPeers: 50 });
    for (const path of ['/a', '/b', '/c']) expect(await inPlace.filesOf(SELF).hold(path, 100)).toBeDefined();
  });
});

describe('a look at a command', () => {
  it('copies nothing', async () => {
    const { files, held } = createFiles({ sizeBytes: 1 });
    await filesToLookAt(files, undefined).hold('/x', 1);
    expect(held).toMatchObject({ count: 0, read: 1 });
  });

  it('is in turn with those of others: a task by itself, a peer and this node in all their sessions', () => {
    expect(preparingTurn(ALPHA, undefined)).toMatchObject({ whose: 'wn-a', mostWaiting: 128 });
    expect(preparingTurn({ ...ALPHA, task: 't1' }, undefined)).toMatchObject({ whose: 'task t1', mostWaiting: 16 });
    expect(tooMany({ ...ALPHA, task: 't1' })).toMatchObject({
      code: 'LIMIT_EXCEEDED',
      message: '16 commands of `task t1` wait already to be looked at, the most for one that asks',
    });
  });
});
