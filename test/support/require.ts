import { spawnSync } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { describe, expect, it } from 'vitest';

/** System tools that a suite may need, and how a person gets each one on Debian. */
const TOOLS = {
  bwrap: 'apt-get install bubblewrap, and allow unprivileged user namespaces',
  gcc: 'apt-get install gcc',
  git: 'apt-get install git',
  openssl: 'apt-get install openssl',
  python3: 'apt-get install python3',
  rg: 'apt-get install ripgrep',
  setsid: 'apt-get install util-linux',
  socat: 'apt-get install socat',
  spin: 'apt-get install spin',
  ssh: 'apt-get install openssh-client',
  sshd: 'apt-get install openssh-server',
  unshare: 'apt-get install util-linux, and allow unprivileged user namespaces',
  strace: 'apt-get install strace, and allow ptrace',
  'systemd-analyze': 'apt-get install systemd',
} as const;

/** Name of a system tool that a suite can ask for. */
export type Tool = keyof typeof TOOLS;

/** Folders that are searched besides PATH; an ordinary account has not all of them there. */
const SYSTEM_FOLDERS = ['/usr/local/sbin', '/usr/sbin', '/sbin'];

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** Absolute path of a tool, or undefined when it is not on this machine. */
export function findTool(tool: Tool): string | undefined {
  const folders = [...(process.env.PATH ?? '').split(delimiter).filter((folder) => folder !== ''), ...SYSTEM_FOLDERS];
  return folders.map((folder) => join(folder, tool)).find(isExecutable);
}

/** What is often installed where the kernel refuses it: arguments of a try, which alone tells. */
const TRIES: Readonly<Partial<Record<Tool, readonly string[]>>> = {
  bwrap: ['--ro-bind', '/', '/', '--unshare-all', 'true'],
  unshare: ['-Urpf', '--mount-proc', 'sh', '-c', 'echo 100 > /proc/sys/kernel/ns_last_pid'],
  strace: ['-f', '-qq', '-e', 'trace=openat', '-o', '/dev/null', 'true'],
};

function works(tool: Tool, path: string): boolean {
  const args = TRIES[tool];
  return args === undefined || spawnSync(path, args, { stdio: 'ignore' }).status === 0;
}

function missingTools(tools: readonly Tool[]): Tool[] {
  return tools.filter((tool) => {
    const path = findTool(tool);
    return path === undefined || !works(tool, path);
  });
}

/** What becomes of a suite that needs tools: it runs, it fails because a tool is missing, or it is skipped by name. */
export type Gate =
  | { readonly kind: 'run'; readonly name: string }
  | { readonly kind: 'fail'; readonly name: string; readonly how: string }
  | { readonly kind: 'skip'; readonly name: string };

/** Decides about the suite `name`: `missing` are the tools that are not there; `requireAll` forbids skipping. */
export function gateOf(name: string, missing: readonly Tool[], requireAll: boolean): Gate {
  if (missing.length === 0) return { kind: 'run', name };
  const how = missing.map((tool) => `${tool} (${TOOLS[tool]})`).join(', ');
  return requireAll ? { kind: 'fail', name, how } : { kind: 'skip', name: `${name} [skipped, missing: ${how}]` };
}

/**
 * A `describe` for a suite that needs system tools. Without them the suite is skipped, and its name says which one is
 * missing and how to get it; with WRIT_TEST_REQUIRE=all it fails instead.
 */
export function describeWith(tools: readonly Tool[], name: string, body: () => void): void {
  const gate = gateOf(name, missingTools(tools), process.env.WRIT_TEST_REQUIRE === 'all');
  if (gate.kind === 'run') {
    describe(gate.name, body);
  } else if (gate.kind === 'skip') {
    describe.skipIf(true)(gate.name, body);
  } else {
    describe(gate.name, () => {
      it('has the system tools that it needs', () => {
        expect.fail(`missing: ${gate.how}`);
      });
    });
  }
}

/** Agent programs that a suite drives where they are installed, with the command that installs each. */
const AGENTS = {
  claude: 'npm install -g @anthropic-ai/claude-code',
  codex: 'npm install -g @openai/codex',
} as const;

/** Name of a real agent that a suite can drive. */
export type RealAgent = keyof typeof AGENTS;

/** Absolute path of a real agent in PATH, or undefined. */
export function findAgent(agent: RealAgent): string | undefined {
  const folders = (process.env.PATH ?? '').split(delimiter).filter((folder) => folder !== '');
  return folders.map((folder) => join(folder, agent)).find(isExecutable);
}

/** Begins the reason of a suite that nothing may require: what it needs is somebody else's, and not of a system. */
export const OPTIONAL = '[skipped, not installed:';

/** A `describe` for a suite that drives a real agent; without it the suite is skipped by name, whatever WRIT_TEST_REQUIRE says. */
export function describeWithAgent(agent: RealAgent, name: string, body: () => void): void {
  const isThere = findAgent(agent) !== undefined;
  describe.skipIf(!isThere)(isThere ? name : `${name} ${OPTIONAL} ${AGENTS[agent]}]`, body);
}
