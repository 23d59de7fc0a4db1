import type { Commands, CommandView, QuestionView, SentCommand } from '@writ/commands';
import { WritError } from '@writ/core';

/** A command that has ended. */
const DONE: CommandView = {
  ...{ id: 'x-1', state: 'completed', why: 'exit code 0', class: 'read', needs: ['inspect_disk'], profile: 'query' },
  ...{ argv: ['df', '\u001b[2J'], cwd: '/', requestedBy: 'self', createdAtMs: 1, expiresAtMs: 2, endedAtMs: 3 },
  outcome: { code: 'OK', message: 'exit code 0', exitCode: 0 },
};

/** A plan that nobody has answered. */
const WAITING: QuestionView = {
  ...{ approval: 'a-1', state: 'pending', why: 'waits for a person', expiresAtMs: 2 },
  steps: [{ argv: ['df'], class: 'read', needs: ['inspect_disk'] }],
};

/** A command that a peer has not answered. */
const SENT: SentCommand = {
  ...{ key: 'k-2', id: 'x-2', peer: 'wn-gone', session: 's-1', agent: 'agent' },
  ...{ argv: ['df', '\u001b[2J'], profile: 'query', sentAtMs: 1 },
};

/** Commands that run nothing: every one has ended and written `out`. */
export function fakeCommands(asked: Parameters<Commands['ask']>[]): Commands {
  const require = (id: string): CommandView => {
    if (id === DONE.id) return DONE;
    throw new WritError('NOT_FOUND', 'no execution of yours here');
  };
  return {
    async ask(...request) {
      asked.push(request);
      const { kind } = request[1].wish;
      return kind === 'plan'
        ? { accepted: true, question: WAITING, decidedBy: 'here' }
        : { accepted: true, command: DONE, decidedBy: 'here' };
    },
    show: async (_, { id }) => require(id),
    list: () => [DONE],
    listSent: ({ kind }) => (kind === 'host' ? [SENT] : []),
    async *watch(_, { id }) {
      const command = require(id);
      yield { kind: 'output', stream: 'stdout', atMs: 2, next: 9, data: Buffer.from('out\u001b[2J') };
      yield { kind: 'state', command };
    },
    cancel: async (_, { id }) => require(id),
  };
}
