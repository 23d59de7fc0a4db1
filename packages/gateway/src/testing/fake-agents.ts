import type { MachineAgents } from '../ports.ts';

/** A machine with `claude` in a place that its sandbox shows, without `codex`, and with `mine` in somebody's home. */
export function fakeAgents(): MachineAgents {
  const usage = ['tokens'] as const;
  return {
    agents: async () => [
      {
        agent: { program: 'claude', kind: 'claude', args: [], asksLeave: false, usage },
        found: { path: '/usr/bin/claude', version: '2.1.332', sandbox: 'runs' },
        nextSteps: [],
      },
      {
        agent: { program: 'codex', kind: 'codex', args: [], asksLeave: false, usage },
        problem: 'not installed',
        nextSteps: ['install it'],
      },
    ],
    program: async (name) => (name === 'mine' ? { path: '/home/me/bin/mine', sandbox: 'not-shown' } : undefined),
  };
}
