import { type ActionEnvironment, type Authority, beginSession } from '@writ/authority';
import { type Commands, createCommandDesk, createCommands, type LiveCommandDesk } from '@writ/commands';
import type { WriteTx } from '@writ/database';
import type { Executor, WritIssuer } from '@writ/delegation';
import type { SessionStore } from '@writ/lease-store';
import type { PeerClients } from '@writ/mesh';
import type { Profile } from '@writ/policy';
import {
  buildCommandEnvironment,
  createHeldFiles,
  createScriptPlace,
  isSecretName,
  type TaskRunner,
} from '@writ/runner';
import type { Environment } from '../env.ts';
import { scriptDirs } from '../script-dirs.ts';
import { placeOf } from './classification.ts';
import type { Foundations } from './foundations.ts';
import type { NodeGate } from './gate.ts';
import { resolveConfigPath } from './paths.ts';
import { createSentCommands } from './sent-commands.ts';

/** What the commands of a node stand on besides its foundations. */
export interface NodeCommandParts extends Pick<NodeGate, 'gate' | 'classifier' | 'factsOf'> {
  readonly authority: Authority;
  readonly executor: Executor;
  readonly runner: TaskRunner;
  readonly environment: Environment;
}

const SEAL_KEY = 'commands.seal-key';
const SEAL_KEY_BYTES = 32;

/** Builds the desk of a node's gated commands; it takes nothing up before `start`. */
export function createNodeCommandDesk(base: Foundations, parts: NodeCommandParts): LiveCommandDesk {
  const { clock, random, logger, database, engine, home, identity, stores } = base;
  const { gate, authority, classifier, factsOf, executor, runner, environment } = parts;
  const sealKey = readSealKey(base);
  const user = process.getuid?.();
  const scripts = createScriptPlace({ dirs: scriptDirs(home, environment, user), user });
  return createCommandDesk({
    ...{ database, engine, authority, gate, executor, clock, random, logger, factsOf },
    self: identity.public.id,
    contextOf: (tx, task) => executor.context(tx, task),
    classify: (argv, cwd, asker) => classifier.look(argv, placeOf({ cwd }), asker),
    environmentOf: (profile) => environmentOf(environment, profile, sealKey),
    workspacePath(name) {
      const workspace = engine.snapshot().config.workspaces.get(name);
      return workspace === undefined ? undefined : resolveConfigPath(workspace.path, home.configFile);
    },
    recordSession: recordOf(stores.sessions),
    files: createHeldFiles({ dirs: home.heldDirs, scripts, user }),
    processes: runner.commands,
    endLeft: () => runner.endStray([]),
  });
}

/** Commands here and at peers. */
export function createNodeCommands(
  { database, engine, identity, random, stores }: Foundations,
  { desk, peers, issuer }: { readonly desk: LiveCommandDesk; readonly peers: PeerClients; readonly issuer: WritIssuer },
): Commands {
  const { sessions, sentCommands } = stores;
  return createCommands({
    ...{ desk, engine, issuer, random },
    directory: peers,
    peer: (id) => peers.client(id),
    sent: createSentCommands({ database, sessions, sentCommands, self: identity.public.id }),
  });
}

function environmentOf({ all }: Environment, { env }: Profile, sealKey: Uint8Array): ActionEnvironment {
  const values = buildCommandEnvironment(all, env);
  return { values, secretNames: new Set(Object.keys(values).filter(isSecretName)), sealKey };
}

/** Stores a session that is not stored yet; one that has ended stays so. */
function recordOf(sessions: SessionStore) {
  return (
    tx: WriteTx,
    { origin, id, agent }: { readonly origin: string; readonly id: string; readonly agent: string },
  ) => {
    if (sessions.get(tx, origin, id) === undefined) beginSession(sessions, tx, { origin, id, agent }, origin);
  };
}

/** The key under which secrets are fingerprinted, made once for each home: questions outlive a restart. */
function readSealKey({ database, stores, random }: Foundations): Uint8Array {
  return database.withWriteTx((tx) => {
    const known = stores.facts.get(tx, SEAL_KEY);
    if (known !== undefined) return Buffer.from(known, 'hex');
    const made = random.bytes(SEAL_KEY_BYTES);
    stores.facts.set(tx, SEAL_KEY, Buffer.from(made).toString('hex'));
    return made;
  });
}
