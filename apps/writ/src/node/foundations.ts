import {
  type Clock,
  createSystemClock,
  createSystemRandom,
  ensurePrivateDirectory,
  type Logger,
  type Random,
} from '@writ/core';
import { type Database, openDatabase } from '@writ/database';
import { createPinStore, loadIdentity, type NodeIdentity, type PinStore, rotateWhenDue } from '@writ/identity';
import { type CompiledPolicy, configInvalid, createPolicyEngine, type PolicyEngine } from '@writ/policy';
import type { Home } from '../home.ts';
import { assertPrivateHome, privateFolders } from '../lifecycle/private-home.ts';
import { openTelemetry, type Telemetry } from '../telemetry/telemetry.ts';
import { tracedLogger } from '../telemetry/traced-logger.ts';
import { VERSION } from '../version.ts';
import { type AcceptedPolicy, createAcceptedPolicy } from './accepted-policy.ts';
import { followAudit, type NodeAudit } from './audit.ts';
import type { Closers } from './closers.ts';
import { readConfigText } from './config-text.ts';
import { refuseEmptied } from './emptied-database.ts';
import { createPolicyCompiler, type NodePolicyCompiler } from './policy-compiler.ts';
import { createStores, type Stores } from './stores.ts';

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
  for (const dir of privateFolders(home)) ensurePrivateDirectory(dir);
  assertPrivateHome(home);
  refuseEmptied(home);
  const database = await openDatabase({ path: home.databaseFile, clock, logger });
  closers.add(() => database.close());
  const stores = createStores();
  const identity = await loadIdentity({ dir: home.keysDir, clock, random });
  closers.add(rotateWhenDue(identity, { clock, logger }));
  // Closed last but for the database: what the others write while they end is in the log too.
  const audit = followAudit({ dir: home.auditDir, database, identity, clock, random, logger });
  closers.add(() => audit.close());
  const pins = createPinStore(home.pinsDir, random, logger);
  const accepted = createAcceptedPolicy(database, stores.facts);
  const compiler = createPolicyCompiler({ script: new URL('./policy-thread.js', import.meta.url), clock });
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

/** The policy of the file. Throws CONFIG_INVALID with every violation. */
async function loadPolicy(compiler: NodePolicyCompiler, path: string): Promise<CompiledPolicy> {
  const compiled = await compiler.compile(readConfigText(path));
  if (compiled.ok) return compiled.policy;
  throw configInvalid(compiled.violations);
}
