import { canonicalJson, type Json, nodeIdFromBase32, sha256Hex, WritError } from '@writ/core';
import type { Applied, Result, SignedEnvelope, VerifiedTree } from '@writ/delegation';
import type { GatewayPorts } from '../gateway-ports.ts';

type Received = NonNullable<ReturnType<GatewayPorts['origin']['result']>>;
type Apply = Parameters<GatewayPorts['origin']['apply']>;

/** Node ids of the right form. */
export const EXECUTOR_ID = nodeIdFromBase32('a'.repeat(32));
const ASKING_ID = nodeIdFromBase32('b'.repeat(32));

/** What has come back, what was signed, and all content, by digest; of both ends of a fake node. */
export interface FakeResults {
  readonly received: Map<string, Received>;
  readonly signed: Map<string, SignedEnvelope>;
  readonly content: Map<string, Buffer>;
  readonly forgotten: { readonly id: string; readonly by: string }[];
  readonly applied: { readonly id: string; readonly how: Apply[1] }[];
  /** What `apply` comes to; without one it makes a branch that is one commit ahead. */
  outcome: Applied | undefined;
  /** What `verify` throws. */
  invalid: WritError | undefined;
  /** Keeps bytes and gives what names them. */
  keep(bytes: string | Uint8Array): { readonly sha256: string; readonly bytes: number };
}

export function createFakeResults(): FakeResults {
  const content = new Map<string, Buffer>();
  return {
    received: new Map(),
    signed: new Map(),
    content,
    forgotten: [],
    applied: [],
    outcome: undefined,
    invalid: undefined,
    keep(given) {
      const bytes = Buffer.from(given);
      const sha256 = sha256Hex(bytes);
      content.set(sha256, bytes);
      return { sha256, bytes: bytes.length };
    },
  };
}

/** A result of beta's as data, of a task that changed nothing. */
export function fakeResult(task: string, change: Partial<Result> = {}): Result {
  return {
    version: 1,
    task,
    origin: ASKING_ID,
    session: 's-1',
    agent: 'tester',
    node: EXECUTOR_ID,
    chain: [ASKING_ID],
    writs: ['a.b.c'],
    nonce: '1'.repeat(32),
    workspace: 'app',
    profile: { requested: 'query', effective: 'query' },
    runner: 'shell',
    isolation: 'none',
    generation: 7,
    lease: null,
    approvals: [],
    changes: { kind: 'none', base: '1'.repeat(40), tree: '2'.repeat(40) },
    outcome: { state: 'completed', code: null, message: 'exit 0' },
    exit: { kind: 'exit', exitCode: 0 },
    truncated: false,
    output: { stdoutBytes: 3, stderrBytes: 0 },
    times: { acceptedAtMs: 1, startedAtMs: 2, endedAtMs: 3, signedAtMs: 4 },
    usage: null,
    transcript: null,
    artifacts: [],
    children: [],
    ...change,
  };
}

/** A result that came back from a pinned node and whose receipt is not there yet. */
export function fakeReceived(result: Result, change: Partial<Received> = {}): Received {
  return {
    sha256: sha256Hex(result.task),
    standing: 'pinned',
    result,
    late: false,
    receivedAtMs: 5,
    children: [],
    ...change,
  };
}

/** An envelope in the right form with a signature of nobody's. */
export function fakeEnvelope(result: Result): SignedEnvelope {
  const json = (value: unknown): string => canonicalJson(value as Json);
  const base64 = (text: string): string => Buffer.from(text).toString('base64');
  const subjects = [
    ...result.artifacts.map(({ name, sha256 }) => ({ name: `artifact/${name}`, digest: { sha256 } })),
    ...result.children.map(({ task, envelope: sha256 }) => ({ name: `child/${task}`, digest: { sha256 } })),
  ];
  const statement = {
    _type: 'https://in-toto.io/Statement/v1',
    subject: [...subjects, { name: 'result.v1.json', digest: { sha256: sha256Hex(json(result)) } }],
    predicateType: 'urn:writ:predicate:result.v1',
    predicate: result,
  };
  const signature = { keyid: result.node, sig: base64('s'), certificate: base64('c'), identity: base64('i') };
  const payload = base64(json(statement));
  const envelope = Buffer.from(json({ payload, payloadType: 'application/vnd.in-toto+json', signatures: [signature] }));
  return { sha256: sha256Hex(envelope), envelope };
}

/** The methods of both ends that have to do with results. */
export function fakeResultMethods(results: FakeResults) {
  const readContent = async (_id: string, sha256: string, offset: number, limit: number): Promise<Uint8Array> => {
    const bytes = results.content.get(sha256);
    if (bytes === undefined) throw new WritError('NOT_FOUND', 'no such content');
    return bytes.subarray(offset, offset + limit);
  };
  const made: Applied = {
    kind: 'applied',
    branch: 'writ/t-0',
    head: '3'.repeat(40),
    base: '1'.repeat(40),
    fit: { kind: 'ahead' },
    checkedOut: false,
  };
  return {
    executor: { result: (id: string) => results.signed.get(id), readContent },
    origin: {
      result: (id: string) => results.received.get(id),
      readContent,
      async verify(id: string): Promise<VerifiedTree> {
        const came = results.received.get(id);
        if (results.invalid !== undefined) throw results.invalid;
        if (came === undefined) throw new WritError('NOT_FOUND', 'no result');
        return { standing: came.standing, result: came.result, sha256: came.sha256, children: [] };
      },
      async apply(...[id, how]: Apply): Promise<Applied> {
        results.applied.push({ id, how });
        if (results.invalid !== undefined) throw results.invalid;
        return results.outcome ?? made;
      },
    },
  };
}
