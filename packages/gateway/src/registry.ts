import type { AnyOperation } from './implement.ts';
import type { Caller, McpExposure, Operation, Toolset } from './types.ts';

/** An operation that agents are offered. */
export type ToolOperation = Operation & { readonly mcp: McpExposure };

/** Everything that a gateway can be asked; nothing is dispatched that is not in here. */
export interface Registry {
  readonly entries: readonly AnyOperation[];
  /** The entry of that name as far as `caller` may know of it; to a task token what it may not use is not there. */
  find(name: string, caller: Caller): AnyOperation | undefined;
  /** What is advertised to an agent with that credential, in the order of the list. */
  tools(caller: Caller, toolsets: readonly Toolset[]): readonly ToolOperation[];
  /** Every name that `caller` may use, for suggestions. */
  names(caller: Caller): readonly string[];
}

/** Builds the registry. Throws where two operations have one name. */
export function createRegistry(entries: readonly AnyOperation[]): Registry {
  const byName = new Map<string, AnyOperation>();
  for (const entry of entries) {
    const { name } = entry.operation;
    if (byName.has(name)) throw new Error(`operation ${name} is registered twice`);
    byName.set(name, entry);
  }
  return {
    entries,
    find(name, caller) {
      const entry = byName.get(name);
      return entry !== undefined && mayUse(entry, caller) ? entry : undefined;
    },
    tools: (caller, toolsets) =>
      entries.flatMap((entry) =>
        entry.form === 'call' &&
        isTool(entry.operation) &&
        isOffered(entry.operation, caller) &&
        isIn(entry.operation, toolsets) &&
        mayUse(entry, caller)
          ? [entry.operation]
          : [],
      ),
    names: (caller) => entries.filter((entry) => mayUse(entry, caller)).map((entry) => entry.operation.name),
  };
}

function isTool(operation: Operation): operation is ToolOperation {
  return operation.mcp !== undefined;
}

function isOffered({ mcp }: ToolOperation, caller: Caller): boolean {
  return mcp.onlyTasks !== true || caller.kind === 'task';
}

function isIn({ mcp: { toolset } }: ToolOperation, toolsets: readonly Toolset[]): boolean {
  return toolset === undefined || toolsets.includes(toolset);
}

/** INVARIANT: 7 to a task token there is nothing but what is stated to be open to its subtree. */
function mayUse(entry: AnyOperation, caller: Caller): boolean {
  return caller.kind === 'host' || entry.operation.taskToken === 'subtree';
}
