/** A resource by its address. */
export type TaskResource =
  | { readonly part: 'task'; readonly task: string }
  | { readonly part: 'result'; readonly task: string }
  | { readonly part: 'transcript'; readonly task: string; readonly offset: number }
  | { readonly part: 'artifact'; readonly task: string; readonly name: string };

/** What of a task is offered as a resource. */
export type TaskPart = TaskResource['part'];

/** Scheme and kind of every address. */
const PREFIX = 'writ://task/';
/** Longest address, UTF-16 units: room for the longest path with each byte of it encoded. */
const LONGEST = 16_384;

/** `writ://task/ID`, `writ://task/ID/transcript?offset=N`, `writ://task/ID/result`, `writ://task/ID/artifact/NAME`. */
export function readTaskUri(uri: string): TaskResource | undefined {
  if (!uri.startsWith(PREFIX) || uri.length > LONGEST) return undefined;
  const [path = '', query] = uri.slice(PREFIX.length).split('?', 2);
  const parts = decoded(path.split('/'));
  if (parts === undefined) return undefined;
  const [task, part, name, ...more] = parts;
  if (task === undefined || task === '' || more.length > 0) return undefined;
  if (part === 'artifact') return name && query === undefined ? { part, task, name } : undefined;
  if (name !== undefined) return undefined;
  if (part === 'transcript') {
    const offset = query === undefined ? 0 : offsetOf(query);
    return offset === undefined ? undefined : { part, task, offset };
  }
  if (query !== undefined) return undefined;
  if (part === undefined) return { part: 'task', task };
  return part === 'result' ? { part, task } : undefined;
}

/** The address of a task, or of a part of it. */
export function taskUri(task: string, part?: 'transcript' | 'result'): string {
  return `${PREFIX}${encodeURIComponent(task)}${part === undefined ? '' : `/${part}`}`;
}

/** A part that cannot be read is not one that is absent: without it the address would be that of something else. */
function decoded(parts: readonly string[]): readonly string[] | undefined {
  try {
    return parts.map(decodeURIComponent);
  } catch {
    return undefined;
  }
}

function offsetOf(query: string): number | undefined {
  const digits = /^offset=(\d{1,15})$/.exec(query)?.[1];
  return digits === undefined ? undefined : Number(digits);
}
