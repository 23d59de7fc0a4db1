import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  type Authority,
  type AuthorityOptions,
  type CommandRights,
  createGate,
  createLeaseRequests,
  createTaskQuestions,
  type DecideOutcome,
  type Gate,
  type GateOptions,
  type KindRules,
  type LeaseRequest,
  type TaskQuestions,
} from '@writ/authority';
import { createSystemRandom } from '@writ/core';
import type { AuthorityRecords, LeaseAnswer, SessionEnds } from '@writ/delegation';
import { createApproverKey, unlockApproverKey, verifyDecision } from '@writ/identity';
import {
  type ApprovalStore,
  createApproverStore,
  createSessionStore,
  createTokenStore,
  type SessionStore,
} from '@writ/lease-store';
import { isTerminal, type TaskStore } from '@writ/task-store';

/** What a test's gate is built around. */
export interface TestGateParts {
  readonly options: AuthorityOptions & Pick<GateOptions, 'approvals' | 'windows' | 'executions' | 'invites'>;
  readonly authority: Authority;
  readonly tasks: TaskStore;
  readonly self: string;
  /** Folder of the node; the approver's key stays there. */
  readonly dir: string;
}

/** Questions of a test node, and the person who answers them. */
export interface TestPerson {
  readonly gate: Gate;
  readonly sessions: SessionStore;
  /** Answers as the enrolled approver, with its real key. */
  answer(id: string, answer: 'approve' | 'deny'): DecideOutcome;
}

/** What an executor asks through; the gate is built once that is there. */
export interface TestAsking {
  readonly questions: TaskQuestions;
  /** `enrol`: somebody can answer. */
  open(taskKind: KindRules, enrol: boolean): Promise<TestPerson>;
}

const PASSPHRASE = 'four words for tests';
/** As little work as the box allows: what it withstands is no matter here. */
const CHEAP = { logN: 14, r: 8, p: 1 } as const;

/** What an origin knows of sessions. */
export function createTestSessionEnds({ gate, sessions }: TestPerson): SessionEnds {
  return {
    get: (tx, { origin, session }) => sessions.get(tx, origin, session),
    start: (tx, { origin, session, agent }) => void sessions.start(tx, { origin, id: session, agent }),
    noteEnded: (tx, { origin, session, agent }) =>
      void sessions.noteEnded(tx, { origin, id: session, agent }, { sinceMs: 0, limit: 3 }),
    hold: (tx, key, peer) => sessions.hold(tx, key, peer),
    holders: (tx, key) => sessions.holders(tx, key),
    end: (key, by, peers, statement) => gate.endSession(key, by, peers, statement),
    onOwed: (listener) => gate.onEndOwed(listener),
    listOwed: (tx, filter) => sessions.listOwedEnds(tx, filter),
    settle: (tx, owed) => sessions.settleEnd(tx, owed),
  };
}

/** What the sweep of a test node asks and tells its authority. */
export function createTestRecords(
  approvals: Pick<ApprovalStore, 'countPendingOfTask'>,
  sessions: SessionStore,
): AuthorityRecords {
  const tokens = createTokenStore();
  return {
    isAsked: (tx, task) => approvals.countPendingOfTask(tx, task) > 0,
    dropToken: (tx, task) => tokens.dropTask(tx, task),
    sessions: {
      get: (tx, { origin, session }) => sessions.get(tx, origin, session),
      hold: (tx, key, peer) => sessions.hold(tx, key, peer),
    },
  };
}

/** Asks the person of a test node for leases. */
export function createTestLeaseDesk(
  parts: Pick<TestGateParts, 'options' | 'authority' | 'self'>,
  { gate, sessions }: TestPerson,
): (request: LeaseRequest) => LeaseAnswer {
  const requests = createLeaseRequests({
    ...{ ...parts, approvals: gate.approvals, sessions },
    showAsker: (from) => ({ label: from, words: 'four-short-words-here' }),
  });
  return (request) => {
    const outcome = requests.request(request);
    if (!outcome.asked) {
      const { effect, code, message, nextSteps, generation } = outcome.decision;
      return {
        asked: false,
        decision: { effect: effect === 'ask' ? effect : 'deny', code, message, nextSteps, generation },
      };
    }
    const { id: approval, state, expiresAtMs: answerByMs } = outcome.approval;
    return { asked: true, approval, state, answerByMs };
  };
}

export function createTestAsking(parts: TestGateParts): TestAsking {
  const { options, self } = parts;
  const sessions = createSessionStore();
  let gate: Gate | undefined;
  const approvals = (): Gate['approvals'] => {
    if (gate === undefined) throw new Error('the gate of this node is not built');
    return gate.approvals;
  };
  const questions = createTaskQuestions({
    ...{ options, approvals, sessions, self, store: options.approvals, approvers: createApproverStore() },
    showAsker: (from) => ({ label: from, words: 'four-short-words-here' }),
  });
  return {
    questions,
    async open(taskKind, enrol) {
      const built = createGate({ ...gateOptions(parts, sessions), kinds: kindsWith(taskKind) });
      gate = built;
      return { gate: built, sessions, answer: await enrolled(parts, built, enrol) };
    },
  };
}

function gateOptions({ options, authority, tasks, self }: TestGateParts, sessions: SessionStore) {
  const nothing: CommandRights['look'] = () => {
    throw new Error('no commands are run here');
  };
  return {
    ...{ ...options, self, authority, sessions, approvers: createApproverStore(), verify: verifyDecision },
    tasks: {
      isLive: (tx: Parameters<TaskStore['get']>[0], id: string) => {
        const task = tasks.get(tx, id);
        return task !== undefined && !isTerminal(task.state);
      },
    },
    taskRights: { look: nothing, claim: nothing, giveBack: () => {} },
    classify: () => ({ class: 'destructive', known: false, needs: [] }) as const,
  };
}

function kindsWith(task: KindRules): GateOptions['kinds'] {
  const none: KindRules = { refusal: () => undefined, digestNow: (_, { digest }) => digest, settle: () => {} };
  return { task, permission: none, credential: none, policy: none, peer: none };
}

/** The key file of an earlier start of the node, or a new one. */
async function keyIn(dir: string): Promise<Uint8Array> {
  const path = join(dir, 'approver.key');
  if (existsSync(path)) return readFile(path);
  const { sealed } = await createApproverKey({ passphrase: PASSPHRASE, random: createSystemRandom(), cost: CHEAP });
  await writeFile(path, sealed, { mode: 0o600 });
  return sealed;
}

async function enrolled({ options, dir }: TestGateParts, gate: Gate, enrol: boolean): Promise<TestPerson['answer']> {
  if (!enrol) {
    return () => {
      throw new Error('nobody is enrolled');
    };
  }
  const unlocked = await unlockApproverKey(await keyIn(dir), PASSPHRASE);
  const { id, publicKey } = unlocked;
  if (gate.approvers.list().length === 0) {
    options.database.withWriteTx((tx) =>
      gate.approvers.enroll(tx, { id, kind: 'passphrase', publicKey, label: 'tester' }),
    );
  }
  return (approval, answer) => {
    const said = answer === 'approve' ? ({ answer, scope: 'once' } as const) : ({ answer } as const);
    const statement = gate.approvals.statement(approval, said);
    if (statement === undefined) throw new Error(`no approval ${approval}`);
    return gate.approvals.decide(approval, { statement, proof: unlocked.sign(statement) });
  };
}
