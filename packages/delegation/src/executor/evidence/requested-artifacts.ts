import type { TaskSpec } from '@writ/task-store';

/** Capabilities whose holder may have files of a workspace sent back. */
const READING = ['read_repo', 'edit_repo'];

/**
 * Why the artifacts that a request itself names are not taken from a workspace; undefined: they are. What a profile names
 * is the word of this node's own person. INVARIANT: 1 a request brings nothing back that its grant does not let it read.
 */
export function artifactRefusal(spec: TaskSpec, closure: readonly string[]): string | undefined {
  const { artifacts = [], workspace } = spec;
  if (artifacts.length === 0 || workspace === undefined) return undefined;
  if (READING.some((capability) => closure.includes(capability))) return undefined;
  return 'this grant does not hold `read_repo`, so that no file of the workspace can be asked for as an artifact';
}
