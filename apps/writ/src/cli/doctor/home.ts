import { existsSync } from 'node:fs';
import { findExposure, quote, toWritError, visible } from '@writ/core';
import type { Home } from '../../home.ts';
import { assertWritableHome, exposuresOf } from '../../lifecycle/private-home.ts';
import { runningPid } from '../../lifecycle/running-pid.ts';
import { listenFailure } from '../../listen-failure.ts';
import { type Finding, fine, type Look } from './types.ts';

/** Most files that are named; who opened one with `chmod -R` opened all. */
const MOST_TOLD = 5;

/** Looks at what lies in the home: is there a node, can others read it, does its configuration load, is its port free. */
export const lookAtHome: Look = async ({ context, status }) => {
  const { home } = context;
  const unwritable = findingsOf(() => assertWritableHome(home));
  if (!existsSync(home.configFile)) {
    const mend = existsSync(home.keysDir) ? [`bring back ${home.configFile}`] : ['writ init'];
    const says = `there is no writ.toml in ${quote(home.configDir)}`;
    return [{ check: 'home', state: 'problem', says, mend }, ...unwritable];
  }
  const config = await configuration(home);
  return [
    ...modes(home, process.geteuid?.()),
    ...unwritable,
    config.finding,
    ...(status === undefined && runningPid(home) === undefined && config.listen !== undefined
      ? [await portFinding(config.listen)]
      : []),
    ...(status === undefined && unwritable.length === 0 ? [await database(home)] : []),
  ];
};

/** What it throws, as a problem of the home. */
function findingsOf(assertion: () => void): readonly Finding[] {
  try {
    assertion();
    return [];
  } catch (error) {
    const { message, nextSteps } = toWritError(error);
    return [{ check: 'home', state: 'problem', says: message, mend: [...nextSteps] }];
  }
}

/** Whether somebody else could read or replace what is secret: all that a node refuses to start with. */
export function modes(home: Home, uid: number | undefined): readonly Finding[] {
  const check = 'home';
  const token = findExposure(home.tokenFile, 'file', uid);
  const faults = [...exposuresOf(home, uid), ...(token === undefined ? [] : [token])];
  if (faults.length === 0) return [fine(check, `${home.root}, closed to others`)];
  const told = faults.slice(0, MOST_TOLD).map(({ message, nextSteps }): Finding => {
    return { check, state: 'problem', says: message, mend: [...nextSteps] };
  });
  const rest = faults.length - told.length;
  if (rest === 0) return told;
  return [
    ...told,
    { check, state: 'problem', says: `${rest} more like these`, mend: ['mend those, then: writ doctor'] },
  ];
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
    const [first] = compiled.violations;
    const line = first?.position === undefined ? '' : `, line ${first.position.line}`;
    const says = `${compiled.violations.length === 1 ? 'a mistake' : `${compiled.violations.length} mistakes`} in writ.toml, first${line}: ${visible(first?.message ?? '')}`;
    return { finding: { check, state: 'problem', says, mend: ['writ policy validate'] } };
  } catch (error) {
    const { message, nextSteps } = toWritError(error);
    return { finding: { check, state: 'problem', says: message, mend: [...nextSteps, 'writ policy validate'] } };
  }
}

/** Whether a node that starts finds its tables; one that runs says itself what of them cannot be read. */
async function database({ databaseFile }: Home): Promise<Finding> {
  const check = 'database';
  try {
    const { checkDatabase } = await import('@writ/database');
    await checkDatabase(databaseFile);
    return fine(check, 'whole');
  } catch (error) {
    const { message, nextSteps } = toWritError(error);
    return { check, state: 'problem', says: message, mend: [...nextSteps] };
  }
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
