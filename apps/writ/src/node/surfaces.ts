import { AUDIT_KINDS, createGroupedWrites } from '@writ/database';
import { createGateway, type Gateway, type NodeControl, type SetupAdvice } from '@writ/gateway';
import { createMeshServer, createRedeemTransport, type MeshServer } from '@writ/mesh';
import { createPairing, type Pairing } from '@writ/pairing';
import { addPeer, readPeer, removePeer, updatePeer } from '@writ/policy';
import { VERSION } from '../version.ts';
import type { Closers } from './closers.ts';
import { createConfigAdmin, createProfileValidator } from './config-admin.ts';
import { createConfigFile, type NodeConfigFile } from './config-file.ts';
import type { Foundations } from './foundations.ts';
import { createAuthenticator } from './host-token.ts';
import { createPeerLinks, createRemoteDescribe } from './peer-links.ts';
import { createSessions } from './sessions.ts';
import { createTaskScope } from './task-scope.ts';
import { createUpstreamPorts } from './upstream-ports.ts';
import type { Work } from './work.ts';

/** What others touch of a node. The mesh server and the gateway hold the same engine. */
export interface Surfaces {
  readonly mesh: MeshServer;
  readonly gateway: Gateway;
  readonly pairing: Pairing;
}

export interface SurfaceOptions {
  readonly node: NodeControl;
  readonly advice: SetupAdvice;
  /** `host:port` for invites; undefined: this node only dials out. */
  readonly address: () => string | undefined;
}

export function createSurfaces(base: Foundations, work: Work, options: SurfaceOptions, closers: Closers): Surfaces {
  const { clock, random, logger, identity, pins, database, stores, engine } = base;
  const config = createConfigFile({
    path: base.home.configFile,
    engine,
    compiler: base.compiler,
    clock,
    random,
    logger,
    onReload: (text, outcome, how) => base.accepted.note(text, outcome, how, engine.acceptedTexts()),
  });
  closers.add(() => config.close());
  work.policyConsent.bind((yes) => config.accept(yes));
  const { name } = engine.snapshot().config.node;
  const pairing: Pairing = createPairing({
    identity,
    pins,
    invites: stores.invites,
    intents: stores.intents,
    database,
    authority: work.authority,
    engine,
    config,
    consent: work.peerConsent,
    endWork: (peerId) => endWork(work, peerId),
    edits: { addPeer, readPeer, removePeer, updatePeer },
    transport: createRedeemTransport({ identity, clock }),
    nodeName: name,
    address: options.address,
    clock,
    random,
    logger,
  });
  const mesh = createNodeMesh(base, work, pairing, name);
  closers.add((graceMs) => mesh.close(graceMs));
  const gateway = openGateway(base, work, { options, pairing, config });
  work.doors.bind(gateway);
  closers.add(() => gateway.close());
  return { mesh, gateway, pairing };
}

/** What this machine touches, around the same engine as the mesh. */
function openGateway(
  base: Foundations,
  work: Work,
  parts: { readonly options: SurfaceOptions; readonly pairing: Pairing; readonly config: NodeConfigFile },
): Gateway {
  const { clock, random, logger, database, stores, engine } = base;
  const { options, pairing, config } = parts;
  return createGateway({
    engine,
    authority: work.authority,
    origin: work.origin,
    executor: work.executor,
    commands: work.commands,
    pairing,
    node: options.node,
    agents: work.agents,
    links: createPeerLinks(work.peers),
    describe: createRemoteDescribe(work.peers),
    config: createConfigAdmin(config, base),
    advice: options.advice,
    profiles: createProfileValidator(),
    gate: work.gate,
    person: work.person,
    sessions: createSessions(base, work.origin),
    authenticator: createAuthenticator(base),
    scope: createTaskScope(database, stores.mirrors),
    audit: database,
    auditKinds: AUDIT_KINDS,
    auditLog: base.audit,
    ...createUpstreamPorts(base, work),
    workspaces: work.storage,
    clock,
    random,
    logger,
    trace: base.telemetry && { tracing: base.telemetry.tracing, spanOf: base.telemetry.spans.of },
  });
}

/** What peers touch. */
function createNodeMesh(base: Foundations, work: Work, pairing: Pairing, name: string): MeshServer {
  const { clock, logger, identity, pins, database, engine } = base;
  const writeGrouped = createGroupedWrites(database);
  return createMeshServer({
    identity,
    pins,
    engine,
    executor: work.executor,
    commands: work.desk,
    // A question counts like a request: asking is what is limited. Nothing follows from its answer, so that it may wait
    // for those that are asked with it.
    checkPolicy: (subject, question) => writeGrouped((tx) => work.authority.decide(tx, subject, question)),
    requestLease: work.requestLease,
    endSession: (from, statement) => work.origin.takeSessionEnd(from, statement),
    noteRefusal: (from, code) =>
      database.withWriteTx((tx) =>
        tx.audit({ kind: 'decision', action: 'writ.refused', actor: from, details: { code } }),
      ),
    pairing,
    name,
    version: VERSION,
    clock,
    logger,
    tracing: base.telemetry?.tracing,
  });
}

/** Ends what runs here for a peer, and what runs there for this node. */
async function endWork({ executor, origin }: Work, peerId: string): Promise<void> {
  const message = 'this node no longer trusts that peer';
  await Promise.all([
    executor.endWhere((task) => task.sender === peerId || task.chain.includes(peerId), 'TRUST_REVOKED', message),
    origin.endWhere((mirror) => mirror.peer === peerId, 'TRUST_REVOKED', message),
  ]);
}
