import { existsSync } from 'node:fs';
import { findExposure, isAbsent, isWritError, visible, type WritError } from '@writ/core';
import type { Violation } from '@writ/policy';
import type { Home } from '../../home.ts';
import { noNode } from '../../lifecycle/half-home.ts';
import { assertWritableHome, exposuresOf } from '../../lifecycle/private-home.ts';
import { runningPid } from '../../lifecycle/running-pid.ts';
import { listenFailure } from '../../listen-failure.ts';
import { asProblem, type Finding, fine, type Look } from './types.ts';

/** Most files that are named; who opened one with `chmod -R` opened all. */
const MOST_TOLD = 5;

/** Looks at what lies in the home: is there a node, can others read it, does its configuration load, is its port free. */
export const lookAtHome: Look = async ({ context, status }) => {
  const { home } = context;
  const closed = modes(home, process.geteuid?.());
  const isWell = closed.every(({ state }) => state === 'ok');
  const unwritable = isWell ? findingsOf(() => assertWritableHome(home)) : [];
  if (!existsSync(home.configFile)) {
    // What keeps it from being seen is told already.
    return isWell ? [asProblem('home', noNode(home)), ...unwritable] : closed;
  }
  const config = await configuration(home);
  return [
    ...closed,
    ...unwritable,
    config.finding,
    ...(status === undefined && runningPid(home) === undefined && config.listen !== undefined
      ? [await portFinding(config.listen)]
      : []),
    ...(status === undefined && unwritable.length === 0 ? await startChecks(home, isWell) : []),
  ];
};

/** What it throws, as a problem of the home. */
function findingsOf(assertion: () => void): readonly Finding[] {
  try {
    assertion();
    return [];
  } catch (error) {
    return [asProblem('home', error)];
  }
}

/** Whether somebody else could read or replace what is secret: all that a node refuses to start with. */
export function modes(home: Home, uid: number | undefined): readonly Finding[] {
  const check = 'home';
  const faults = exposuresOf(home, uid);
  const token = faults.length === 0 ? tokenFault(home, uid) : undefined;
  if (token !== undefined) return [asProblem(check, token)];
  if (faults.length === 0) return [fine(check, `${home.root}, closed to others`)];
  const told = faults.slice(0, MOST_TOLD).map((fault) => asProblem(check, fault));
  const rest = faults.length - told.length;
  if (rest === 0) return told;
  return [
    ...told,
    { check, state: 'problem', says: `${rest} more like these`, mend: ['mend those, then: writ doctor'] },
  ];
}

/** A node that starts makes another one; until then others could read this one. */
function tokenFault({ tokenFile }: Home, uid: number | undefined): WritError | undefined {
  try {
    return findExposure(tokenFile, 'file', uid);
  } catch (error) {
    if (isAbsent(error)) return undefined;
    throw error;
  }
}

async function configuration(home: Home): Promise<{ readonly finding: Finding; readonly listen?: string }> {
  const check = 'configuration';
  const [{ compileConfig }, { readConfigText }, { withWorkspacePlaces }] = await Promise.all([
    import('@writ/policy'),
    import('../../node/config-text.ts'),
    import('../../node/workspace-place.ts'),
  ]);
  try {
    const compiled = withWorkspacePlaces(compileConfig(readConfigText(home.configFile)), home);
    if (compiled.ok) {
      const { listen } = compiled.policy.config.node;
      return { finding: fine(check, `${home.configFile} loads`), ...(listen === undefined ? {} : { listen }) };
    }
    const says = mistakesIn(compiled.violations);
    return { finding: { check, state: 'problem', says, mend: ['writ policy validate'] } };
  } catch (error) {
    const problem = asProblem(check, error);
    return { finding: { ...problem, mend: [...problem.mend, 'writ policy validate'] } };
  }
}

function mistakesIn(violations: readonly Violation[]): string {
  const [first] = violations;
  const place = first?.position === undefined ? '' : `line ${first.position.line}`;
  const where = violations.length === 1 ? place && `, ${place}` : `, the first${place && ` in ${place}`}`;
  const count = violations.length === 1 ? 'a mistake' : `${violations.length} mistakes`;
  return `${count} in writ.toml${where}: ${visible(first?.message ?? '')}`;
}

/** What a node that starts looks for; one that runs says itself what of it cannot be read. */
async function startChecks(home: Home, isWell: boolean): Promise<readonly Finding[]> {
  const { START_CHECKS } = await import('../../lifecycle/start-checks.ts');
  const found = new Map<string, Finding>();
  for (const { check, look } of START_CHECKS) {
    // The first of a kind is what a start would end with.
    if (found.has(check) && found.get(check)?.state !== 'ok') continue;
    try {
      await look(home);
      found.set(check, fine(check, 'whole'));
    } catch (error) {
      // What the system refuses has been said of the home.
      if (isWell || isWritError(error)) found.set(check, asProblem(check, error));
    }
  }
  return [...found.values()];
}

/** Whether a node that starts could listen there. */
export async function portFinding(listen: string): Promise<Finding> {
  const check = 'port';
  const at = listen.lastIndexOf(':');
  const host = listen.slice(0, at).replace(/^\[|\]$/g, '');
  const code = await listenFailure(host, Number(listen.slice(at + 1)));
  if (code === undefined) return fine(check, `${listen} is free`);
  const mend = [`see who has it: ss -ltnp 'sport = :${listen.slice(at + 1)}'`, 'or change [node] listen in writ.toml'];
  const says = code === 'EADDRINUSE' ? `${listen} is taken by another program` : `${listen} cannot be used: ${code}`;
  return { check, state: 'problem', says, mend };
}
