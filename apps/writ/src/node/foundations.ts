import { rmdirSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import {
  type Clock,
  createSystemClock,
  createSystemRandom,
  ensurePrivateDirectory,
  type Logger,
  type Random,
  replacePrivateFile,
} from '@writ/core';
import { type Database, openDatabase } from '@writ/database';
import { createPinStore, loadIdentity, type NodeIdentity, type PinStore, rotateWhenDue } from '@writ/identity';
import { type CompiledPolicy, configInvalid, createPolicyEngine, type PolicyEngine } from '@writ/policy';
import type { Home } from '../home.ts';
import { assertPrivateHome, assertWritableHome, privateFolders } from '../lifecycle/private-home.ts';
import { ownPidFile } from '../lifecycle/running-pid.ts';
import { START_CHECKS } from '../lifecycle/start-checks.ts';
import { openTelemetry, type Telemetry } from '../telemetry/telemetry.ts';
import { tracedLogger } from '../telemetry/traced-logger.ts';
import { VERSION } from '../version.ts';
import { type AcceptedPolicy, createAcceptedPolicy } from './accepted-policy.ts';
import { followAudit, type NodeAudit } from './audit.ts';
import type { Closers } from './closers.ts';
import { readConfigText } from './config-text.ts';
import { createPolicyCompiler, type NodePolicyCompiler } from './policy-compiler.ts';
import { createStores, type Stores } from './stores.ts';
import { lookAtPlaces } from './workspace-place.ts';

/** What everything else stands on. */
export interface Foundations {
  readonly home: Home;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  /** Absent: nothing is traced or measured. */
  readonly telemetry: Telemetry | undefined;
  readonly identity: NodeIdentity;
  readonly pins: PinStore;
  readonly database: Database;
  readonly audit: NodeAudit;
  readonly stores: Stores;
  readonly accepted: AcceptedPolicy;
  /** The one engine of this node. */
  readonly engine: PolicyEngine;
  /** What `engine` compiles with. */
  readonly compiler: NodePolicyCompiler;
}

/** Opens the home: folders, database (which refuses a second node), keys, pins, policy. */
export async function openFoundations(home: Home, logger: Logger, closers: Closers): Promise<Foundations> {
  const clock = createSystemClock();
  const random = createSystemRandom();
  const database = await openPlace(home, { clock, random, logger, closers });
  const stores = createStores();
  const identity = await loadIdentity({ dir: home.keysDir, clock, random });
  closers.add(rotateWhenDue(identity, { clock, logger }));
  // Closed last but for the database: what the others write while they end is in the log too.
  const audit = followAudit({ dir: home.auditDir, database, identity, clock, random, logger });
  closers.add(() => audit.close());
  const pins = createPinStore(home.pinsDir, random, logger);
  const accepted = createAcceptedPolicy(database, stores.facts);
  const compiler = createPolicyCompiler({
    script: new URL('./policy-thread.js', import.meta.url),
    clock,
    onMachine: (compiled) => lookAtPlaces(compiled, home),
  });
  closers.add(() => compiler.close());
  const policy = await loadPolicy(compiler, home.configFile);
  const acceptedTexts = accepted.read(policy.text);
  const engine = createPolicyEngine({
    text: policy,
    compile: compiler.compile,
    clock,
    selfId: identity.public.id,
    onListenerError: (error) => logger.error('a change of the policy was not followed', { reason: String(error) }),
    ...(acceptedTexts === undefined ? {} : { acceptedTexts }),
  });
  const telemetry = openTelemetry({
    config: engine.snapshot().config.telemetry,
    node: { id: identity.public.id, version: VERSION },
    ...{ clock, random, logger },
  });
  closers.add(() => telemetry?.close());
  const { generation, parked } = engine.status();
  await accepted.note(
    policy.text,
    { reloaded: true, generation, restartNeeded: [], ...(parked === undefined ? {} : { parked }) },
    'start',
    engine.acceptedTexts(),
  );
  return {
    home,
    clock,
    random,
    logger: telemetry === undefined ? logger : tracedLogger(logger, telemetry.tracing),
    telemetry,
    identity,
    pins,
    database,
    audit,
    stores,
    accepted,
    engine,
    compiler,
  };
}

/** Finds the home fit for a node, makes the folders that are not there, opens the database and says beside it who has it. */
async function openPlace(
  home: Home,
  tools: { readonly clock: Clock; readonly random: Random; readonly logger: Logger; readonly closers: Closers },
): Promise<Database> {
  const { clock, random, logger, closers } = tools;
  // Before anything is made: a mode that was open has perhaps been used, and what is in the way is not this node's.
  assertPrivateHome(home);
  assertWritableHome(home);
  for (const { look } of START_CHECKS) await look(home);
  for (const dir of privateFolders(home)) ensurePrivateDirectory(dir);
  const database = await openDatabase({ path: home.databaseFile, clock, logger });
  closers.add(() => database.close());
  await replacePrivateFile(home.holderFile, ownPidFile(home, true), random);
  closers.add(() => rmSync(home.holderFile, { force: true }));
  closers.add(() => removeShortFolder(home));
  return database;
}

/** Of a home too deep for a socket nothing stays in the folder that is for everybody; what is not empty does. */
function removeShortFolder({ socketFile, runDir, tasksDir, proxiesDir }: Home): void {
  const short = dirname(socketFile);
  if (short === runDir) return;
  for (const folder of [tasksDir, proxiesDir, short]) {
    try {
      rmdirSync(folder);
    } catch {
      // It was not made, or somebody put something there.
    }
  }
}

/** The policy of the file. Throws CONFIG_INVALID with every violation. */
async function loadPolicy(compiler: NodePolicyCompiler, path: string): Promise<CompiledPolicy> {
  const compiled = await compiler.compile(readConfigText(path));
  if (compiled.ok) return compiled.policy;
  throw configInvalid(compiled.violations);
}
