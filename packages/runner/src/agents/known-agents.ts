import type { KnownAgent } from './types.ts';

/** Every agent program that is looked for. Others that speak the Agent Client Protocol work the same way. */
export const KNOWN_AGENTS: readonly KnownAgent[] = [
  {
    ...{ program: 'claude', kind: 'claude', args: [], version: ['--version'] },
    ...{ asksLeave: false, usage: ['tokens', 'cost'], install: 'npm install -g @anthropic-ai/claude-code' },
  },
  {
    ...{ program: 'codex', kind: 'codex', args: [], version: ['--version'] },
    ...{ asksLeave: false, usage: ['tokens'], install: 'npm install -g @openai/codex' },
  },
  {
    ...{ program: 'claude-agent-acp', kind: 'acp', args: [], asksLeave: true, usage: ['tokens', 'cost'] },
    install: 'npm install -g @agentclientprotocol/claude-agent-acp',
  },
  {
    ...{ program: 'codex-acp', kind: 'acp', args: [], asksLeave: true, usage: ['tokens'] },
    install: 'npm install -g @zed-industries/codex-acp',
  },
  {
    ...{ program: 'opencode', kind: 'acp', args: ['acp'], version: ['--version'] },
    ...{ asksLeave: true, usage: ['tokens', 'cost'], install: 'npm install -g opencode-ai' },
  },
  {
    ...{ program: 'gemini', kind: 'acp', args: ['--acp'], version: ['--version'] },
    ...{ asksLeave: true, usage: [], install: 'npm install -g @google/gemini-cli' },
  },
];
