import type { ExecutorTurns } from '../../turn-types.ts';
import type { ExecutorParts } from '../parts.ts';
import { askAndWait } from './asking.ts';
import { createPermissionKind } from './permission-kind.ts';
import { takeReply } from './replying.ts';
import { createSecrets } from './secrets.ts';
import { endQuestions, tellTurn, turnOf } from './settling.ts';

/** Questions of the tasks of one executor. */
export function createExecutorTurns(parts: ExecutorParts): ExecutorTurns {
  const { database, journal, tasks, turns, evidence } = parts;
  const secrets = createSecrets();
  return {
    ask: (task, wish, signal) => askAndWait(parts, secrets, { task, wish }, signal),
    reply: (task, reply, by) => takeReply(parts, secrets, { task, reply, by }),
    turn: (id) =>
      database.withReadTx((tx) => {
        journal.require(tx, id);
        return turnOf(turns.questions.listOpen(tx, id));
      }),
    sessionEnded(tx, { origin, session }) {
      const names = origin === evidence.trust.self.id ? [origin, 'self'] : [origin];
      for (const task of tasks.listLive(tx)) {
        if (task.session !== session || !names.includes(task.origin)) continue;
        if (endQuestions(parts, tx, task.id) > 0) tellTurn(parts, tx, task);
      }
    },
    permission: createPermissionKind(parts),
  };
}
