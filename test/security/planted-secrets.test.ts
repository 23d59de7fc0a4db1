import { lstatSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  createTestMesh,
  executingConfig,
  type FollowedTask,
  follow,
  type MeshNode,
  makeRepository,
  pairNodes,
  submit,
  until,
  WRIT_PROGRAM,
} from '@writ/testkit/mesh';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { describeWith } from '../support/require.ts';

/** Of the file, the environment variable and what a task is told while it runs. */
const SECRETS = {
  file: 'sk-file-Yx83kd02mfLQzW7pTn4vRb6h',
  variable: 'sk-environment-0q9wJe8rHt7yGu6iFo5p',
  told: 'sk-told-while-it-ran-M1n2B3v4C5x6Z7',
};
/** How every task's token begins. */
const TOKEN = 'wtt_';
const COMMON = 'shell = "allow"\nrequire_explicit = true\nrequire_lease = true\nenv = ["API_TOKEN"]\nsecrets = ["tok"]';
const PROFILES = `
[runners.agent]
kind = "claude"
argv = ["sh", "agent.sh"]

[profiles.leaky]
capabilities = ["read_repo", "edit_repo", "use_secrets", "interactive", "subdelegate"]
runner = "shell"
${COMMON}

[profiles.agent]
capabilities = ["read_repo", "use_secrets"]
runner = "agent"
${COMMON}
`;
/** Says all that it knows: whole, in pieces, as arguments of programs that repeat them, on both streams. */
const LEAKS = `#!/bin/sh
all="$(cat "$WRIT_SECRETS/tok") $API_TOKEN $WRIT_TASK_TOKEN"
printf 'secrets: %s\\n' "$all"
printf 'secrets: %s\\n' "$all" >&2
for secret in $all; do
  while [ -n "$secret" ]; do
    printf '%.3s' "$secret"
    secret=\${secret#???}
    [ \${#secret} -lt 3 ] && { printf '%s' "$secret"; secret=; }
    sleep 0.01
  done
  echo
done
for secret in $all; do ls "/nowhere/$secret"; git "$secret"; done
printf '{"token":"%s","lines":"%s\\\\n"}\\n' $all
env
`;
/** An agent that says them in its words, its tool calls and its last message. */
const AGENT = `#!/bin/sh
cat >/dev/null
all="$(cat "$WRIT_SECRETS/tok") $API_TOKEN"
line() { printf "$@"; echo; }
line '{"type":"system","subtype":"init","model":"m","tools":[]}'
for secret in $all; do
  line '{"type":"assistant","message":{"id":"%s","content":[{"type":"text","text":"it is %s"}]}}' 1 "$secret"
  line '{"type":"assistant","message":{"id":"%s","content":[{"type":"tool_use","id":"t","name":"Bash","input":{"command":"curl -H %s"}}]}}' 2 "$secret"
  line '{"type":"unknown","of":"%s"}' "$secret"
done
line '{"type":"result","subtype":"success","is_error":true,"num_turns":1,"result":"it was %s %s"}' $all
exit 3
`;

describeWith(['bwrap', 'git'], 'secrets planted in file, environment, arguments and output', () => {
  const mesh = createTestMesh();
  let alpha: MeshNode;
  let beta: MeshNode;

  beforeAll(async () => {
    const app = makeRepository(join(mesh.dir, 'app'), { 'leaks.sh': LEAKS, 'agent.sh': AGENT });
    [alpha, beta] = await Promise.all([
      mesh.add('alpha'),
      mesh.add('beta', {
        environment: { API_TOKEN: SECRETS.variable },
        config: (listen) => executingConfig({ name: 'beta', listen, workspaces: { app }, more: PROFILES }),
      }),
    ]);
    mkdirSync(join(beta.home, 'secrets'), { mode: 0o700 });
    writeFileSync(join(beta.home, 'secrets', 'tok'), `${SECRETS.file}\n`, { mode: 0o600 });
    await pairNodes(beta, alpha, { profiles: ['query', 'leaky', 'agent'], workspaces: ['app'] });
    for (const profile of ['leaky', 'agent']) {
      await beta.client().call('lease_grant', { peer: 'alpha', profile, duration: '1h' });
    }
  }, 120_000);
  afterAll(() => mesh.close(), 60_000);

  const tasks: string[] = [];
  const begin = async (profile: string, work: object): Promise<string> => {
    const task = await submit(alpha, { profile, workspace: 'app', ...work });
    tasks.push(task);
    return task;
  };
  const run = async (profile: string, work: object): Promise<FollowedTask> => follow(alpha, await begin(profile, work));
  /** What nobody may find; a task's token begins in a way of its own. */
  const holds = (bytes: Buffer | string): readonly string[] =>
    [...Object.values(SECRETS), TOKEN].filter((secret) => bytes.includes(secret));

  it('are not in what a task’s asker sees', async () => {
    const { output, outcome } = await run('leaky', { argv: ['sh', 'leaks.sh'] });
    expect(outcome.state).toBe('completed');
    const text = output.toString();
    expect(text.match(/\[redacted\]/g)).toHaveLength(20);
    expect(holds(text)).toEqual([]);
    expect(text).toContain('secrets: [redacted] [redacted] [redacted]\n');
  });

  it('are not in what an agent says of itself, nor in why it failed', async () => {
    const { events, outcome, output } = await run('agent', { prompt: 'go on' });
    expect(outcome.state).toBe('failed');
    expect(holds(JSON.stringify(events) + output.toString())).toEqual([]);
    expect(JSON.stringify(outcome)).toContain('it was [redacted] [redacted]');
  });

  it('are not in what follows when a task was told one', async () => {
    const ask = `'${process.execPath}' '${WRIT_PROGRAM}' task ask --kind credential "the key"`;
    const script = `told=$(${ask}); echo "told: $told"; sleep 0.01; echo "$told" >&2; false`;
    const task = await begin('leaky', { argv: ['sh', '-c', script] });
    await until('the question', async () => {
      const { state } = await alpha.client().call('status', { task });
      return state === 'credential_required' ? state : undefined;
    });
    await alpha.client().call('reply_credential', { task, secret: SECRETS.told });
    const { output, outcome } = await follow(alpha, task);
    expect(output.toString()).toBe('told: [redacted]\n[redacted]\n');
    expect(outcome.state).toBe('failed');
  });

  it('are then in no file of either node, the secret’s own apart', async () => {
    const kept = [...below(alpha.home), ...below(beta.home)].filter((path) => holds(bytesOf(path)).length > 0);
    expect(kept).toEqual([join(beta.home, 'secrets', 'tok')]);
    expect(below(beta.home).some((path) => path.includes('/transcripts/'))).toBe(true);
  });

  it('are printed by no command', async () => {
    expect(tasks).toHaveLength(3);
    // The agent's: what failed is told at most length.
    const task = tasks[1] ?? '';
    const commands = [
      ['task', 'show', task, '--json'],
      ['audit', 'tail', '--lines', '200', '--no-follow', '--json'],
      ['events', '--after', '0', '--json', '--no-follow'],
    ];
    for (const node of [alpha, beta]) {
      for (const argv of commands) {
        const { code, stdout, stderr } = await node.writ(...argv);
        expect([code, stdout.length > 100, stderr], argv.join(' ')).toEqual([0, true, '']);
        expect(holds(stdout), argv.join(' ')).toEqual([]);
      }
    }
  });
});

/** Of a file that the node may be taking away; sockets and pipes have none. */
function bytesOf(path: string): Buffer {
  try {
    return readFileSync(path);
  } catch {
    return Buffer.alloc(0);
  }
}

/** Every file below `dir`. */
function below(dir: string): readonly string[] {
  // What the node makes ahead and takes away again may be gone by now.
  if (lstatSync(dir, { throwIfNoEntry: false }) === undefined) return [];
  return readdirSync(dir, { withFileTypes: true }).flatMap((entry) => {
    const path = join(dir, entry.name);
    if (entry.isDirectory()) return below(path);
    return entry.isFile() ? [path] : [];
  });
}
