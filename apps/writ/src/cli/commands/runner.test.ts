import { rmSync } from 'node:fs';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type FakeNode, startFakeNode } from '../testing/fake-node.ts';

let node: FakeNode;

beforeEach(async () => {
  node = await startFakeNode();
});
afterEach(() => node.stop());

const CODEX = {
  ...{ name: 'codex', kind: 'codex', argv: ['codex'], installed: false, asks_leave: false, usage: ['tokens'] },
  ...{ runners: ['coder'], problem: 'not installed', next_steps: ['npm install -g @openai/codex'] },
} as const;
const GEMINI = {
  ...{ name: 'gemini', kind: 'acp', argv: ['gemini', '--acp'], installed: true, path: '/usr/bin/gemini' },
  ...{ version: '1.2.3\u001b[2J', sandbox: 'runs', asks_leave: true, usage: [], runners: [], next_steps: [] },
} as const;
const CODER = { name: 'coder', kind: 'codex', program: 'codex', agent: 'codex' } as const;
const PROBLEM = { profile: 'fix', message: 'program `codex` was not found', next_steps: ['install it'] };

function answer(profiles: readonly string[]): void {
  node.answers.runner_list = () => ({
    ...{ sandbox: 'bubblewrap', agents: [CODEX, GEMINI] },
    runners: [{ ...CODER, profiles, problems: [PROBLEM] }],
  });
}

it('lists what is configured and what is installed', async () => {
  answer(['fix']);
  const { code, out } = await node.writ('runner', 'list');
  expect(code).toBe(0);
  expect(out.split('\n').map((line) => line.replace(/ {2,}/g, ' | '))).toEqual([
    'runner | kind | program | in a sandbox | profiles',
    'coder | codex | codex (not found) | - | fix',
    '',
    'agent | version | in a sandbox | asks a person | tells | runners',
    'codex | not installed | - | no | tokens | coder',
    String.raw`gemini | 1.2.3\u{1b}[2J | runs | yes | - | -`,
    '',
  ]);
});

it('says what to do, and fails where a runner that is used cannot work', async () => {
  answer(['fix']);
  const { code, out } = await node.writ('runner', 'doctor');
  expect(code).toBe(1);
  expect(out.split('\n')).toEqual([
    'sandbox: bubblewrap',
    'runner coder (codex), profile fix: program `codex` was not found',
    '  → install it',
    'agent codex: not installed',
    '  → npm install -g @openai/codex',
    String.raw`agent gemini 1.2.3\u{1b}[2J: ok, /usr/bin/gemini; no runner starts it`,
    '  → to use it, in writ.toml: [runners.gemini] with kind = "acp" and argv = ["gemini","--acp"]',
    '',
  ]);
});

it('a runner that nobody uses is told of, and is no failure', async () => {
  answer([]);
  expect(await node.writ('runner', 'doctor')).toMatchObject({ code: 0, out: expect.stringContaining('→ install it') });
});

it('looks at the machine itself where no node runs', async () => {
  rmSync(node.home.tokenFile);
  const { code, out } = await node.writ('runner', 'list', '--json');
  expect(code).toBe(0);
  const { runners, agents } = JSON.parse(out) as { runners: unknown[]; agents: { name: string }[] };
  expect(runners).toEqual([]);
  expect(agents.map(({ name }) => name)).toContain('claude');
});
