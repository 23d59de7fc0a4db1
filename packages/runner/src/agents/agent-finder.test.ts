import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Executed } from '../sandbox/probe.ts';
import type { SandboxReport } from '../sandbox/types.ts';
import { createAgentFinder } from './agent-finder.ts';
import type { AgentFinder, FoundAgent } from './types.ts';

let bin: string;
let started: (readonly string[])[];
beforeEach(() => {
  bin = realpathSync(mkdtempSync(join(tmpdir(), 'writ-agents-')));
  started = [];
});
afterEach(() => rmSync(bin, { recursive: true }));

const NONE: SandboxReport = { available: false, reason: 'bubblewrap is not installed', nextSteps: [] };
const FILTER = new Uint8Array([1]);
const SOME: SandboxReport = {
  available: true,
  features: { kind: 'bubblewrap', program: '/usr/bin/bwrap', sealed: true, filter: FILTER, limits: [] },
};

function finder(report: SandboxReport, shown: readonly string[], said: Partial<Executed> = {}): AgentFinder {
  return createAgentFinder({
    path: bin,
    programs: [],
    sandbox: async () => ({ report, view: { folders: shown, links: [], kernel: [] } }),
    execute: async (argv, told) => {
      started.push(argv);
      expect(told).toBe(argv[0] === '/usr/bin/bwrap' ? FILTER : undefined);
      return { exitCode: 0, stdout: '2.1.332 (Claude Code)\n', said: '', ...said };
    },
  });
}

function install(...names: string[]): void {
  for (const name of names) writeFileSync(join(bin, name), '#!/bin/sh\n', { mode: 0o755 });
}

async function claude(agents: AgentFinder): Promise<FoundAgent | undefined> {
  return (await agents.agents()).find(({ agent }) => agent.program === 'claude');
}

describe('agents of a machine', () => {
  it('are told of when they are not installed, with the command that installs them, and none is started', async () => {
    const found = await finder(SOME, [bin]).agents();
    expect(found.map(({ agent }) => agent.program)).toEqual([
      ...['claude', 'codex', 'claude-agent-acp', 'codex-acp', 'opencode', 'gemini'],
    ]);
    for (const { agent, problem, nextSteps } of found) {
      expect(problem).toBe('not installed');
      expect(nextSteps[0]).toContain(agent.install);
    }
    expect(started).toEqual([]);
  });

  it('say their version inside a sandbox, with nothing of the environment and a home that goes with it', async () => {
    install('claude');
    expect(await claude(finder(SOME, [bin]))).toMatchObject({
      found: { path: join(bin, 'claude'), version: '2.1.332', sandbox: 'runs' },
      nextSteps: [],
    });
    const [argv = []] = started;
    expect(argv[0]).toBe('/usr/bin/bwrap');
    expect(argv.slice(-5)).toEqual(['-i', `PATH=${bin}`, 'HOME=/tmp', join(bin, 'claude'), '--version']);
  });

  it('that no sandbox shows are asked outside, where they have no home, and what to do is said', async () => {
    install('claude');
    const found = await claude(finder(SOME, ['/usr']));
    expect(found?.found).toMatchObject({ version: '2.1.332', sandbox: 'not-shown' });
    expect(found?.problem).toContain('no sandbox shows');
    expect(found?.nextSteps.join(' ')).toContain('read_paths');
    expect(started[0]).toContain('HOME=/nonexistent');
    expect(started[0]).not.toContain('/usr/bin/bwrap');
  });

  it('on a machine without a sandbox run only without isolation', async () => {
    install('claude');
    const found = await claude(finder(NONE, []));
    expect(found).toMatchObject({
      found: { sandbox: 'no-sandbox' },
      problem: expect.stringContaining('isolation = "none"'),
    });
    expect(found?.nextSteps).not.toEqual([]);
  });

  it('that do not start inside are told with what they said, made visible', async () => {
    install('claude');
    const found = await claude(finder(SOME, [bin], { exitCode: 127, stdout: '', said: 'one\n\u001b[2Jno node\n' }));
    expect(found?.found?.sandbox).toBe('fails');
    expect(found?.problem).toContain('no node');
    expect(found?.problem).not.toContain('\u001b');
  });

  it('that say no version are not started', async () => {
    install('codex-acp');
    const found = (await finder(SOME, [bin]).agents()).find(({ agent }) => agent.program === 'codex-acp');
    expect(found).toMatchObject({ found: { sandbox: 'unknown' }, nextSteps: [] });
    expect(found?.found).not.toHaveProperty('version');
    expect(started).toEqual([]);
  });
});

it('another program of a runner is looked for and not started', async () => {
  install('mine');
  const agents = finder(SOME, [bin]);
  expect(await agents.program('mine')).toEqual({ path: join(bin, 'mine'), sandbox: 'unknown' });
  expect(await agents.program(join(bin, 'mine'))).toEqual({ path: join(bin, 'mine'), sandbox: 'unknown' });
  // In a workspace there is another one for each task.
  expect(await agents.program('./mine')).toBeUndefined();
  expect(await agents.program(join(bin, 'yours'))).toBeUndefined();
  expect(started).toEqual([]);
});
