/**
 * Runs where one folder is on a read-only file system, and says, as JSON, what is told of homes there. Arguments: a home that
 * is to be made there, and one that is there.
 */
import { createSystemClock, ensurePrivateDirectory, toWritError } from '@writ/core';
import { lookAtHome } from '../cli/doctor/home.ts';
import { readEnvironment } from '../env.ts';
import { resolveHome } from '../home.ts';
import { startNode } from '../lifecycle/start-node.ts';

const [fresh = '', made = ''] = process.argv.slice(2);
const environment = readEnvironment();
const told = async (work: () => unknown): Promise<unknown> => {
  try {
    return await work();
  } catch (error) {
    const { code, message, nextSteps } = toWritError(error);
    return { code, message, nextSteps };
  }
};
const examined = (root: string): Promise<unknown> =>
  lookAtHome({ context: { home: resolveHome(environment, root) } as never, status: undefined }).then((findings) =>
    findings.filter(({ state }) => state !== 'ok').map(({ check, says }) => `${check}: ${says}`),
  );
console.log(
  JSON.stringify({
    init: await told(() => ensurePrivateDirectory(fresh)),
    up: await told(() => startNode(resolveHome(environment, made), environment, createSystemClock())),
    freshDoctor: await told(() => examined(fresh)),
    madeDoctor: await told(() => examined(made)),
  }),
);
