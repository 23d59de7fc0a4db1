import {
  type ApprovalKinds,
  type Authority,
  type AuthorityOptions,
  type CommandFacts,
  type CommandRights,
  createGate,
  type Gate,
  type KindRules,
  readRequest,
} from '@writ/authority';
import type { CommandDeskOptions } from '@writ/commands';
import { toWritError } from '@writ/core';
import type { ReadTx } from '@writ/database';
import type { ExecutorTurns, TaskContext } from '@writ/delegation';
import { verifyDecision } from '@writ/identity';
import type { Execution } from '@writ/lease-store';
import type { ShellGrammar } from '@writ/policy';
import { searchPath } from '@writ/runner';
import { isTerminal } from '@writ/task-store';
import type { Environment } from '../env.ts';
import {
  createLookedClassifier,
  createNodeClassifier,
  type LookedClassifier,
  type NodeClassifier,
  placeOf,
} from './classification.ts';
import { createCommandFacts } from './command-facts.ts';
import type { CommandLooker } from './command-looker.ts';
import type { Foundations } from './foundations.ts';
import { resolveConfigPath } from './paths.ts';

/** What the gate of a node needs besides its foundations. */
export interface NodeGateParts {
  readonly options: AuthorityOptions;
  readonly authority: Authority;
  readonly grammar: ShellGrammar;
  readonly looker: CommandLooker;
  readonly environment: Environment;
  /** What a task that runs here may do at this moment; throws where it may do nothing. */
  readonly contextOf: (tx: ReadTx, task: string) => TaskContext;
  /** Questions of the tasks that run here. */
  readonly turns: Pick<ExecutorTurns, 'permission' | 'sessionEnded'>;
  /** Rules of the kinds that something here asks about. */
  readonly kinds: Pick<ApprovalKinds, 'task' | 'policy' | 'peer'>;
}

/** Questions, windows and gated commands of this node, and what says what commands are. */
export interface NodeGate {
  readonly gate: Gate;
  readonly classifier: LookedClassifier;
  readonly factsOf: CommandDeskOptions['factsOf'];
}

/** Builds the one gate of a node. */
export function createNodeGate(base: Foundations, parts: NodeGateParts): NodeGate {
  const { options, authority, grammar, looker, environment, contextOf, turns, kinds } = parts;
  const { identity, stores, engine, home } = base;
  const classifier = createLookedClassifier(engine, createNodeClassifier(engine, grammar), looker);
  const factsOf = createCommandFacts({
    user: process.getuid?.(),
    engine,
    homes: [home.dataDir, home.configDir, home.runDir],
    searchPath: searchPath(environment.all.PATH),
    resolvePath: (path) => resolveConfigPath(path, home.configFile),
  });
  const gate = createGate({
    ...options,
    self: identity.public.id,
    authority,
    approvals: stores.approvals,
    approvers: stores.approvers,
    invites: stores.invites,
    windows: stores.windows,
    executions: stores.executions,
    sessions: stores.sessions,
    tasks: {
      isLive(tx, id) {
        const task = stores.tasks.get(tx, id);
        return task !== undefined && !isTerminal(task.state);
      },
    },
    taskRights: rightsOfTasks(contextOf),
    classify: (execution) => classifyStored(classifier, factsOf, execution),
    verify: verifyDecision,
    kinds: { ...NOT_ASKED_KINDS, permission: turns.permission, ...kinds },
    sessionEnded: turns.sessionEnded,
  });
  return { gate, classifier, factsOf };
}

/** What a task's own agent asks for is within what the task was granted, and never needs a lease of its own. */
function rightsOfTasks(contextOf: NodeGateParts['contextOf']): CommandRights {
  const look: CommandRights['look'] = (tx, { task = '', profile }) => {
    try {
      const { closure, runner, network, isolation } = contextOf(tx, task);
      return { granted: true, profile, runner, network, isolation, closure };
    } catch (error) {
      const { code, message, nextSteps } = toWritError(error);
      return { granted: false, refusal: { code, message, nextSteps } };
    }
  };
  return { look, claim: look, giveBack: () => {} };
}

function classifyStored(
  classifier: NodeClassifier,
  factsOf: CommandDeskOptions['factsOf'],
  { request: stored, basis }: Execution,
): CommandFacts {
  const request = readRequest(stored);
  // What cannot be read cannot be resolved either; whatever it was, it is not the same now.
  if (request === undefined) return { class: 'destructive', known: false, needs: [] };
  return factsOf(classifier.classify(request.argv, placeOf(request)), { ...request, basis });
}

/** INVARIANT: 5 a kind that nothing here asks about cannot be answered with a yes. */
const NOT_ASKED: KindRules = {
  refusal: (_, { kind }) => ({
    code: 'POLICY_ERROR',
    message: `this node asks no question of kind ${kind}`,
    nextSteps: ['deny it'],
  }),
  digestNow: (_, { digest }) => digest,
  settle: () => {},
};

const NOT_ASKED_KINDS: Pick<ApprovalKinds, 'credential'> = {
  credential: NOT_ASKED,
};
