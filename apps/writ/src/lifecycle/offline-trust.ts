import { statSync } from 'node:fs';
import { createSystemRandom, silentLogger, WritError } from '@writ/core';
import type { Trust } from '@writ/evidence';
import { createPinStore, readPublicIdentity } from '@writ/identity';
import { compileConfig } from '@writ/policy';
import type { Environment } from '../env.ts';
import type { Home } from '../home.ts';
import { readConfigText } from '../node/config-text.ts';

/** Whom the node of a home trusts, without the node. */
export interface OfflineTrust {
  readonly trust: Trust;
  /** Label of a node id as `writ.toml` has it; the id itself where it has none. */
  readonly labelOf: (id: string) => string;
}

/** Somebody without a node, who knows nobody. */
export interface NoNode {
  /** Node id that they were told the result is of. */
  readonly signer: string | undefined;
}

/** Whether there is nothing of a node in a home: neither a configuration, nor keys, nor pins. */
export function hasNothing({
  configFile,
  keysDir,
  pinsDir,
}: Pick<Home, 'configFile' | 'keysDir' | 'pinsDir'>): boolean {
  try {
    return [configFile, keysDir, pinsDir].every((path) => statSync(path, { throwIfNoEntry: false }) === undefined);
  } catch {
    // What may not be looked at is somebody's.
    return false;
  }
}

/**
 * Reads identity, pins and labels of a home; the node may run or not. Throws NOT_INITIALIZED, HOME_INSECURE,
 * CONFIG_INVALID and, inside a task, TOKEN_INVALID.
 */
export async function readOfflineTrust(
  home: Home,
  environment: Pick<Environment, 'taskAccess'>,
): Promise<OfflineTrust> {
  // INVARIANT: 7 a process that carries a task token reads nothing of the home, which is somebody else's.
  if (environment.taskAccess) {
    throw new WritError('TOKEN_INVALID', 'this process belongs to a task: it verifies through its node only', {
      nextSteps: ['name a task that this one handed on: writ verify TASK'],
    });
  }
  const self = await readPublicIdentity(home.keysDir);
  const labels = readLabels(home.configFile, self.id);
  return {
    trust: { self, pins: createPinStore(home.pinsDir, createSystemRandom(), silentLogger) },
    labelOf: (id) => labels.get(id) ?? id,
  };
}

/** Names are for the eye: a configuration that does not load leaves the ids. */
function readLabels(configFile: string, self: string): ReadonlyMap<string, string> {
  const labels = new Map<string, string>();
  try {
    const compiled = compileConfig(readConfigText(configFile));
    if (!compiled.ok) return labels;
    const { node, peers } = compiled.policy.config;
    labels.set(self, node.name);
    for (const { id, label } of peers.values()) labels.set(id, label);
  } catch {
    // It is gone, or no plain file.
  }
  return labels;
}
