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

/** `writ://task/ID`, `writ://task/ID/transcript?offset=N`, `writ://task/ID/result`, `writ://task/ID/artifact/NAME`. */
export function readTaskUri(uri: string): TaskResource | undefined {
  if (!uri.startsWith(PREFIX)) return undefined;
  const [path = '', query] = uri.slice(PREFIX.length).split('?', 2);
  const [task, part, name, ...more] = path.split('/').map(decode);
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

function decode(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

function offsetOf(query: string): number | undefined {
  const digits = /^offset=(\d{1,15})$/.exec(query)?.[1];
  return digits === undefined ? undefined : Number(digits);
}
