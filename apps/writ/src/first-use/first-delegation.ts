import type { ControlClient, OutcomeView } from '@writ/gateway/client';

/** What a new node is asked first: every profile that is there by default lets it. */
const ARGV = ['uname', '-a'];

/** What came of the first delegation, to the node itself. */
export interface FirstDelegation {
  readonly argv: readonly string[];
  readonly task?: string;
  readonly state: string;
  readonly message: string;
  readonly output: string;
  /** True where its signed result was read back and is whole. */
  readonly verified: boolean;
}

/** Hands the node a task of its own, the way that any other goes: policy, runner, evidence. */
export async function delegateToSelf(node: ControlClient): Promise<FirstDelegation> {
  const { accepted, task, decided } = await node.call('delegate', { to: 'self', argv: [...ARGV] });
  if (!accepted) {
    const message = decided?.message ?? 'refused';
    return { argv: ARGV, state: 'refused', message, output: '', verified: false };
  }
  let outcome: OutcomeView | undefined;
  const output: Buffer[] = [];
  for await (const event of node.stream('task_watch', { task })) {
    if (event.kind === 'output' && event.stream === 'stdout') output.push(Buffer.from(event.data, event.encoding));
    if (event.kind === 'outcome') outcome = event.outcome;
  }
  return {
    argv: ARGV,
    task,
    state: outcome?.state ?? 'lost',
    message: outcome?.message ?? 'the node said no more of it',
    output: Buffer.concat(output).toString(),
    verified: outcome?.result !== undefined && (await isVerified(node, task)),
  };
}

/** Throws where it is not what was signed. */
async function isVerified(node: ControlClient, task: string): Promise<boolean> {
  await node.call('verify_result', { task });
  return true;
}
