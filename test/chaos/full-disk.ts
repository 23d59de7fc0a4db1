import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, statfsSync } from 'node:fs';
import { join } from 'node:path';
import { follow, furnishMesh, type MeshNode, processesWith, run, submit, until } from '@writ/testkit/mesh';
import type { ExhaustionFigures } from './exhaustion.ts';
import { addGreedyNode, greedyWish, startGreedyNode } from './greedy-node.ts';

const FILL = 'head -c 1G /dev/zero > filled';
/** Of what fills a whole home, to tell it from others. */
const HOME_MARK = 'writ-chaos-home';
/** Of the disk that is filled. */
const DISK = '24m';

/** What holds of a node where a task has filled a disk. */
interface Scene {
  readonly solo: MeshNode;
  /** What did not. */
  wrong(what: string): void;
}

/**
 * So many times, at a node whose clones lie on a small disk and at one that lies on it whole: a task fills that disk, and
 * the same node goes on as soon as a person has made room by the means that they have. Needs a mount namespace.
 */
export async function fillDisks(count: number): Promise<ExhaustionFigures> {
  const violations: string[] = [];
  const endings: Record<string, number> = {};
  const play = async (name: string, place: (home: string) => string, scene: (at: Scene) => Promise<string>) => {
    const wrong = (what: string): void => void violations.push(`${name}: ${what}`);
    try {
      await withDisk(place, async (solo) => {
        const pid = solo.pid();
        for (let round = 0; round < count; round++) {
          const ending = `${name}: ${await scene({ solo, wrong })}`;
          endings[ending] = (endings[ending] ?? 0) + 1;
          if (solo.pid() !== pid) wrong('the node is another one');
        }
      });
    } catch (error) {
      wrong(String(error));
    }
  };
  await Promise.all([
    play('clones', (home) => join(home, 'workspaces'), clonesFilled),
    play('home', (home) => home, homeFilled),
  ]);
  return { count, endings, violations };
}

/** A node with a disk of its own at `place` of its home. */
async function withDisk(place: (home: string) => string, use: (solo: MeshNode) => Promise<void>): Promise<void> {
  const { mesh, solo, disk } = await furnishMesh(async (made) => {
    const node = await addGreedyNode(made);
    const mounted = place(node.home);
    const aside = join(made.dir, 'aside');
    mkdirSync(mounted, { recursive: true, mode: 0o700 });
    execFileSync('cp', ['-a', mounted, aside]);
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${DISK},mode=0700`, 'disk', mounted]);
    execFileSync('cp', ['-a', `${aside}/.`, mounted]);
    await startGreedyNode(node);
    return { mesh: made, solo: node, disk: mounted };
  });
  try {
    await use(solo);
  } finally {
    await solo.down();
    // The node's spawner leaves it a moment later than the node.
    execFileSync('umount', ['--lazy', disk]);
    await mesh.close();
  }
}

const rowsOf = async (solo: MeshNode) => (await solo.client().call('workspace_list', {})).workspaces;

/** The clone has a name while the disk is full, and by that name a person removes it. */
async function clonesFilled({ solo, wrong }: Scene): Promise<string> {
  const task = await submit(solo, greedyWish(FILL));
  const { outcome, output } = await follow(solo, task);
  if (!/No space left/.test(output.toString())) wrong(`it said ${output.toString().slice(-200)}`);
  const kept = await until('its clone is kept', async () =>
    (await rowsOf(solo)).find((row) => row.task === task && row.state === 'failed'),
  );
  const refused = await run(solo, greedyWish('true'));
  if (refused.outcome.state !== 'failed') wrong(`a task ran on a full disk: ${refused.outcome.state}`);
  await solo.client().call('workspace_prune', { which: [kept.id ?? ''], unbundled: true });
  await goesOn(solo, wrong);
  return `${outcome.state} ${outcome.code}`;
}

/** What cannot be written down is owed: a person finds the clone, makes room in it, and the task ends. */
async function homeFilled({ solo, wrong }: Scene): Promise<string> {
  const task = await submit(solo, greedyWish(`: ${HOME_MARK}; ${FILL}`));
  await until('the disk is full', () => statfsSync(solo.home).bavail === 0 && processesWith(HOME_MARK).length === 0);
  await until('there is room', async () => {
    for (const { dir } of await rowsOf(solo)) rmSync(join(dir, 'filled'), { force: true });
    return statfsSync(solo.home).bavail > 0;
  });
  const { outcome } = await follow(solo, task);
  await goesOn(solo, wrong);
  return `${outcome.state} ${outcome.code}`;
}

/** The next task is done, and a clone stands ready again. */
async function goesOn(solo: MeshNode, wrong: (what: string) => void): Promise<void> {
  const next = await run(solo, greedyWish('true'));
  if (next.outcome.state !== 'completed') wrong(`the next task: ${next.outcome.message}`);
  await until('a clone stands ready', async () => (await rowsOf(solo)).some((row) => row.state === 'ready'));
}
