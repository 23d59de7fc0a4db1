import type { MeshNode } from './mesh-node.ts';
import { until } from './waiting.ts';

/** What a task's process was given to talk back to its node. */
export interface TaskDoor {
  readonly socketPath: string;
  readonly token: string;
}

/** A line of shell that says what the task was given. The token is spelt in digits: a node takes it out of all output. */
export const TELL_DOOR =
  'printf "%s %s\\n" "$WRIT_TASK_SOCKET" "$(printf %s "$WRIT_TASK_TOKEN" | od -An -v -tx1 | tr -d " \\n")"';

/** A command that says it and stands still. */
export const HOLD: readonly string[] = ['sh', '-c', `${TELL_DOOR}; exec sleep 600`];

/** What a task that runs `HOLD` at `node`, or begins with `TELL_DOOR`, was given. */
export async function doorOf(node: MeshNode, task: string): Promise<TaskDoor> {
  const [socketPath = '', digits = ''] = await until(`${task} says what it was given`, async () => {
    const page = node.client().call('transcript', { task });
    // Another node may not know the task yet.
    const text = await page.then(
      (said) => said.text,
      () => '',
    );
    const [line = '', further] = text.split('\n', 2);
    return further === undefined ? undefined : line.split(' ');
  });
  return { socketPath, token: Buffer.from(digits, 'hex').toString('utf8') };
}
