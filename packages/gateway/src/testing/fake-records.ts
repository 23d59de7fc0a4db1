import type { Granted, Mirror, Task, TaskOutcome } from '@writ/delegation';
import { BETA_ID } from './fake-config.ts';

/** What a fake executor grants. */
const granted: Granted = {
  requestedProfile: 'query',
  effectiveProfile: 'query',
  effectiveRunner: 'shell',
  isolation: 'none',
  generation: 7,
  message: 'granted',
};

/** A good end. */
export const completed: TaskOutcome = {
  state: 'completed',
  message: 'exit 0',
  ending: { kind: 'exit', exitCode: 0 },
  truncated: false,
  stdoutBytes: 3,
  stderrBytes: 0,
  startedAtMs: 1,
  endedAtMs: 2,
};

/** A task that this node asked of beta and that runs there. */
export function fakeMirror(id: string, change: Partial<Mirror> = {}): Mirror {
  return {
    id,
    peer: BETA_ID,
    peerLabel: 'beta',
    session: 's-1',
    agent: 'tester',
    idempotencyKey: `key-${id}`,
    spec: { input: { kind: 'argv', argv: ['npm', 'test'] }, profile: 'query', workspace: 'app' },
    state: 'running',
    granted,
    cursor: 0,
    createdAtMs: bornAt(id),
    unreachable: false,
    accepted: true,
    version: 1,
    ...change,
  };
}

/** A task that runs here for beta. */
export function fakeTask(id: string, change: Partial<Task> = {}): Task {
  return {
    id,
    sender: BETA_ID,
    origin: BETA_ID,
    session: 's-9',
    agent: 'other',
    chain: [BETA_ID],
    idempotencyKey: `key-${id}`,
    requestDigest: 'd',
    bounds: {},
    spec: { input: { kind: 'argv', argv: ['true'] }, profile: 'query' },
    granted,
    state: 'running',
    epoch: 1,
    lastSeq: 0,
    createdAtMs: bornAt(id),
    version: 1,
    ...change,
  } as Task;
}

/** `t-7` is younger than `t-6`; names without a number are all of one age. */
function bornAt(id: string): number {
  return 1000 + Number(/\d+$/.exec(id)?.[0] ?? 0);
}
