import { loadServices, type WireServices } from '@writ/wire';

/** What one method demands of its caller and of the server. */
export interface MethodPolicy {
  /** `pinned`: an enabled peer of the current snapshot · `invited`: anybody, while an invite is open. */
  readonly authentication: 'pinned' | 'invited';
  /**
   * Who decides what the caller gets: `peer`: being one is enough · `own-task`: about the task that the request names,
   * for its sender only · `own-list`: about whatever the caller sent · `own-workspace`: about the workspace that the
   * request names, for a peer that may use it only · `signed`: about what the node has signed that the request carries
   * the word of, whoever brings it · `own-execution`: about the gated command that the request names, for whoever asked
   * for it only · `policy`: the policy engine, by way of authority ·
   * `invite`: the secret of an invite. A handler that is served as another stops the start-up.
   */
  readonly authorization:
    | 'peer'
    | 'own-task'
    | 'own-list'
    | 'own-workspace'
    | 'own-execution'
    | 'signed'
    | 'policy'
    | 'invite';
  readonly limits: {
    /** Tokens that a call takes of its caller's rate. */
    readonly cost: number;
    /** Tokens more for one whose answer is a refusal. */
    readonly refusalCost?: number;
    /** Calls of this method that one caller may have open. */
    readonly maxOpen: number;
    /** Longest duration of a call, milliseconds; absent: as long as both sides like. */
    readonly maxMs?: number;
  };
  /** `act`: a line for every call · `read`: a line for a refused one. */
  readonly audit: 'act' | 'read';
}

const UNARY = { cost: 1, maxOpen: 64, maxMs: 30_000 } as const;
// What is asked of the policy engine is a durable commit each time, and a refusal an entry of the audit trail too. Of
// the 2000 tokens a second that a peer has: 200 accepted tasks, or 10 refused ones, or 50 questions.
const SUBMIT = { ...UNARY, cost: 10, refusalCost: 190 } as const;
const QUESTION = { ...UNARY, cost: 40 } as const;
// Reads and hashes whatever the command is made of, and stores it.
const COMMAND = { ...UNARY, cost: 40, refusalCost: 160, maxOpen: 4 } as const;
// Two durable commits, and a person to be asked.
const LEASE_REQUEST = { ...QUESTION, refusalCost: 160, maxOpen: 4 } as const;
// Each receipt of a call may be a durable commit.
const RECEIPTS = { ...UNARY, cost: 40, maxOpen: 4 } as const;
// A durable commit, and one signature for each hop.
const RENEWAL = { ...UNARY, cost: 10 } as const;
// A durable commit; a task has no more questions open.
const REPLY = { ...UNARY, cost: 10, maxOpen: 16 } as const;
// Begins with a read of what is there already, also for one who hangs up at once.
const FOLLOWING = { cost: 4 } as const;
// Long enough for the largest content over a slow line; who comes too late goes on at an offset.
const CONTENT = { cost: 4, maxOpen: 16, maxMs: 900_000 } as const;
// Runs git, or fills a disk.
const INPUT = { ...UNARY, cost: 40, maxOpen: 4 } as const;
const READ = { authentication: 'pinned', authorization: 'own-task', limits: UNARY, audit: 'read' } as const;
const PEER = { authentication: 'pinned', authorization: 'peer', limits: UNARY, audit: 'read' } as const;

/** Every method that the listener offers, by its path. What has no entry here is not served. */
export const METHOD_TABLE: Readonly<Record<string, MethodPolicy>> = {
  '/writ.mesh.v1.MeshService/Describe': PEER,
  '/writ.mesh.v1.MeshService/Submit': {
    authentication: 'pinned',
    authorization: 'policy',
    limits: SUBMIT,
    audit: 'act',
  },
  '/writ.mesh.v1.MeshService/Watch': { ...READ, limits: { ...FOLLOWING, maxOpen: 1024 } },
  '/writ.mesh.v1.MeshService/GetTask': READ,
  '/writ.mesh.v1.MeshService/ListTasks': { ...READ, authorization: 'own-list', limits: { ...UNARY, cost: 4 } },
  '/writ.mesh.v1.MeshService/ReadTranscript': READ,
  '/writ.mesh.v1.MeshService/GetResult': READ,
  '/writ.mesh.v1.MeshService/FetchArtifact': { ...READ, limits: CONTENT },
  '/writ.mesh.v1.MeshService/AckResult': { ...READ, authorization: 'own-list', limits: RECEIPTS, audit: 'act' },
  '/writ.mesh.v1.MeshService/RenewWrit': { ...READ, limits: RENEWAL, audit: 'act' },
  '/writ.mesh.v1.MeshService/Reply': { ...READ, limits: REPLY, audit: 'act' },
  // Ending a process tree takes its grace period.
  '/writ.mesh.v1.MeshService/Cancel': { ...READ, limits: { ...UNARY, maxMs: 120_000 }, audit: 'act' },
  '/writ.mesh.v1.MeshService/CheckPolicy': {
    authentication: 'pinned',
    authorization: 'policy',
    limits: QUESTION,
    audit: 'read',
  },
  '/writ.mesh.v1.MeshService/Execute': {
    authentication: 'pinned',
    authorization: 'policy',
    limits: COMMAND,
    audit: 'act',
  },
  '/writ.mesh.v1.MeshService/WatchExecution': {
    ...READ,
    authorization: 'own-execution',
    limits: { ...FOLLOWING, maxOpen: 256 },
  },
  '/writ.mesh.v1.MeshService/CancelExecution': {
    ...READ,
    authorization: 'own-execution',
    limits: { ...UNARY, maxMs: 120_000 },
    audit: 'act',
  },
  '/writ.mesh.v1.MeshService/RequestLease': {
    authentication: 'pinned',
    authorization: 'policy',
    limits: LEASE_REQUEST,
    audit: 'act',
  },
  '/writ.mesh.v1.MeshService/EndSession': {
    authentication: 'pinned',
    authorization: 'signed',
    limits: RECEIPTS,
    audit: 'act',
  },
  '/writ.mesh.v1.MeshService/DescribeWorkspace': { ...PEER, authorization: 'own-workspace', limits: INPUT },
  '/writ.mesh.v1.MeshService/UploadInput': {
    ...PEER,
    authorization: 'own-workspace',
    limits: { ...INPUT, maxMs: 900_000 },
    audit: 'act',
  },
  // As long as an invite lasts, and a little more.
  '/writ.mesh.v1.MeshService/Redeem': {
    authentication: 'invited',
    authorization: 'invite',
    limits: { cost: 1, maxOpen: 2, maxMs: 660_000 },
    audit: 'act',
  },
  '/grpc.health.v1.Health/Check': PEER,
  '/grpc.health.v1.Health/Watch': { ...PEER, limits: { cost: 1, maxOpen: 4 } },
  '/grpc.health.v1.Health/List': PEER,
};

/** Paths of every method of the services. */
export function methodPaths(services: WireServices = loadServices()): readonly string[] {
  return [...Object.values(services.mesh), ...Object.values(services.health)].map(({ path }) => path);
}

/** Throws where a method of the services has no entry in the table, or the table one for no method. */
export function checkMethodTable(
  services: WireServices,
  table: Readonly<Record<string, MethodPolicy>> = METHOD_TABLE,
): void {
  const paths = methodPaths(services);
  const missing = paths.filter((path) => !Object.hasOwn(table, path));
  const stale = Object.keys(table).filter((path) => !paths.includes(path));
  if (missing.length > 0) throw new TypeError(`methods without an entry in the method table: ${missing.join(', ')}`);
  if (stale.length > 0) throw new TypeError(`entries of the method table without a method: ${stale.join(', ')}`);
}
