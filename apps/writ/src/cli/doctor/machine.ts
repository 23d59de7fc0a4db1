import { existsSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { formatSize } from '@writ/core';
import { runProgram } from '../../run-program.ts';
import { type Finding, fine, type Look } from './types.ts';

/** Oldest Node.js and Git that do all that a node asks of them. */
const OLDEST_NODE = [20, 19] as const;
const OLDEST_GIT = [2, 38] as const;

/** Below so much room a result that is collected may not fit. */
const LITTLE_ROOM_BYTES = 1024 ** 3;
const NO_ROOM_BYTES = 64 * 1024 ** 2;

/** Looks at the machine: programs, sandbox, room. */
export const lookAtMachine: Look = async ({ context }) => [
  nodeVersion(process.versions.node),
  await gitVersion(context.environment.all),
  await sandbox(context.environment),
  await room(context.home.dataDir),
];

function isOlder(version: string, [major, minor]: readonly [number, number]): boolean {
  const [hasMajor = 0, hasMinor = 0] = version.split('.').map(Number);
  return hasMajor < major || (hasMajor === major && hasMinor < minor);
}

/** What is to be said of the Node.js that runs. */
export function nodeVersion(version: string): Finding {
  const check = 'Node.js';
  if (!isOlder(version, OLDEST_NODE)) return fine(check, version);
  const mend = [`install Node.js ${OLDEST_NODE.join('.')} or later`];
  return { check, state: 'problem', says: `${version} is too old`, mend };
}

async function gitVersion(all: Readonly<Record<string, string | undefined>>): Promise<Finding> {
  const options = { environment: { PATH: all.PATH }, timeoutMs: 5_000 };
  const { exitCode, stdout } = await runProgram(['git', '--version'], options);
  return gitFinding(exitCode === 0 ? stdout : '');
}

/** What is to be said of what `git --version` printed; empty: there is none. */
export function gitFinding(said: string): Finding {
  const check = 'git';
  const version = /(\d+\.\d+(?:\.\d+)*)/.exec(said)?.[1];
  const mend = ['sudo apt-get install git', 'or: brew install git'];
  if (version === undefined) {
    return { check, state: 'problem', says: 'not found; workspaces, results and `writ apply` need it', mend };
  }
  if (!isOlder(version, OLDEST_GIT)) return fine(check, version);
  const oldest = OLDEST_GIT.join('.');
  return { check, state: 'warning', says: `${version}; \`writ apply\` can say what conflicts from ${oldest} on`, mend };
}

async function sandbox(environment: Parameters<typeof import('../../lifecycle/machine-sandbox.ts').lookForSandbox>[0]) {
  const [{ lookForSandbox }, { describeSandbox }] = await Promise.all([
    import('../../lifecycle/machine-sandbox.ts'),
    import('@writ/runner'),
  ]);
  const report = await lookForSandbox(environment);
  const check = 'sandbox';
  if (report.available) return fine(check, describeSandbox(report));
  const says = `${describeSandbox(report)}; profiles that require one refuse`;
  return { check, state: 'warning', says, mend: [...report.nextSteps, 'writ doctor'] } as const;
}

async function room(dir: string): Promise<Finding> {
  const check = 'disk';
  if (!existsSync(dir)) return fine(check, 'not used yet');
  const { bavail, bsize } = await statfs(dir);
  return roomFinding(bavail * bsize, dir);
}

/** What is to be said of so many free bytes where a node keeps its data. */
export function roomFinding(free: number, dir: string): Finding {
  const check = 'disk';
  const says = `${formatSize(free)} free in ${dir}`;
  if (free >= LITTLE_ROOM_BYTES) return fine(check, says);
  const state = free < NO_ROOM_BYTES ? 'problem' : 'warning';
  return { check, state, says: `only ${says}`, mend: [`see what is large: du -sh ${dir}/*`] };
}
