import { type ClassifyTool, permitToolCall, type ToolRights, type ToolVerdict } from '@writ/authority';
import type { ReadTx } from '@writ/database';
import type { ToolRequest } from '../../types.ts';
import type { ExecutorParts } from '../parts.ts';
import { contextOf } from '../task-context.ts';

/** Longest command that is looked at, UTF-16 units of its words together. */
const LONGEST_COMMAND = 32 * 1024;

/**
 * What the grant of a running task says to a tool call, as it is at this moment. Throws what keeps the task from doing anything.
 * INVARIANT: 1 the smaller of what the start granted and what is granted now.
 */
export function toolVerdict(
  parts: ExecutorParts,
  tx: ReadTx,
  task: string,
  call: ToolRequest,
  classify: ClassifyTool = parts.turns.tools.classify,
): ToolVerdict {
  const { leadsTo } = parts.turns.tools;
  return permitToolCall(
    rightsOf(parts, tx, task),
    { ...call, paths: pathsOf(call) },
    {
      leadsTo,
      classify: (argv, cwd) =>
        argv.reduce((sum, word) => sum + word.length, 0) > LONGEST_COMMAND ? UNREAD : classify(argv, cwd),
    },
  );
}

/**
 * Has the command of a call looked at, so that `toolVerdict` finds out what it is for as long as `run` takes: a question stands on it, and
 * a person may answer hours later. Without effect for what needs no look.
 */
export async function whileHeld<T>(
  parts: ExecutorParts,
  task: string,
  call: ToolRequest,
  run: () => T | Promise<T>,
): Promise<T> {
  const release = await holdCommand(parts, task, call);
  try {
    return await run();
  } finally {
    release?.();
  }
}

async function holdCommand(parts: ExecutorParts, id: string, call: ToolRequest): Promise<(() => void) | undefined> {
  const { tools } = parts.turns;
  let held: Promise<() => void> | undefined;
  parts.database.withReadTx((tx) => {
    const task = parts.tasks.get(tx, id);
    if (tools.hold === undefined || task === undefined) return;
    // Its sender and the task, and nothing that the agent says of itself.
    const asker = { requestedBy: task.sender, session: task.session, task: id };
    toolVerdict(parts, tx, id, call, (argv, cwd) => {
      held = tools.hold?.(argv, cwd, asker);
      return UNREAD;
    });
  });
  return held;
}

/** Nobody has looked at it: only what may do anything may do that. */
const UNREAD = { class: 'destructive', needs: [] } as const;

function rightsOf(parts: ExecutorParts, tx: ReadTx, task: string): ToolRights {
  const { closure, network, files } = contextOf(parts, tx, task);
  const permit = parts.live.get(task)?.permit;
  const profile = parts.engine.snapshot().config.profiles.get(permit?.granted.effectiveProfile ?? '');
  const commands = permit === undefined || permit.spec.commands === 'allow' ? [] : permit.spec.commands;
  return {
    ...{ closure, network },
    commands: commands.filter((pattern) => profile?.commands.some((one) => isSame(one, pattern)) === true),
    readPaths: (permit?.spec.reach.readPaths ?? [])
      .filter((path) => profile?.readPaths.includes(path) === true)
      .map(parts.turns.tools.resolvePath),
    ...(files === undefined ? {} : { directory: files.dir }),
  };
}

function isSame(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((word, at) => word === other[at]);
}

/** Every file that it says it is about; of a change the one that is written. */
function pathsOf({ paths, changes }: ToolRequest): readonly string[] {
  return [...new Set([...paths, ...changes.map(({ path }) => path)])];
}
