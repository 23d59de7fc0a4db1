import type { ToolVerdict } from '@writ/authority';
import { isWritError, type Json, toWritError, WritError } from '@writ/core';
import type { WriteTx } from '@writ/database';
import type { Question } from '@writ/task-store';
import type { ToolAnswer, ToolRequest } from '../../types.ts';
import type { ExecutorParts } from '../parts.ts';
import { nextPlaces } from './places.ts';
import { gone, requireLive } from './presence.ts';
import { tellTurn } from './settling.ts';
import { toolDigest, toolLines, toolText, toolToJson } from './tool-question.ts';
import { toolVerdict, whileHeld } from './tool-rights.ts';
import { untilSettled } from './until-settled.ts';
import { LONGEST_WAIT_MS, visibleLines } from './wishes.ts';

/**
 * Whether a task's agent may make a tool call: as the grant says, and where that leaves it to a person, as an approver of
 * this node does. Rejects once `signal` is aborted; the question is withdrawn then.
 * INVARIANT: 1 nothing is given that was not granted: a yes is asked for within the grant alone.
 */
export async function permitTool(
  parts: ExecutorParts,
  task: string,
  request: ToolRequest,
  signal: AbortSignal,
): Promise<ToolAnswer> {
  try {
    return await whileHeld(parts, task, request, () => {
      const { verdict, ...more } = parts.database.withReadTx((tx) => toolVerdict(parts, tx, task, request));
      if (verdict === 'allow') return { allowed: true };
      if (verdict === 'deny') return { allowed: false, reason: messageOf(more) };
      const shown = withoutSecrets(parts, task, request);
      // An approver's yes is looked at with what is shown.
      return whileHeld(parts, task, shown, () => askPerson(parts, task, { request, shown }, signal));
    });
  } catch (error) {
    // What was withdrawn has no answer; everything else is a no, and says why.
    if (signal.aborted || isWritError(error, 'SHUTTING_DOWN')) throw error;
    return { allowed: false, reason: toWritError(error).message };
  }
}

async function askPerson(
  parts: ExecutorParts,
  task: string,
  { request, shown }: AskedCall,
  signal: AbortSignal,
): Promise<ToolAnswer> {
  const asked = parts.database.withWriteTx((tx) => askIn(parts, tx, task, { request, shown }));
  if ('allowed' in asked) return asked;
  const [settled] = await untilSettled(parts, [asked], signal, () => 'withdrawn');
  if (signal.aborted) throw new WritError('CANCELLED', 'nobody waits for the answer any more');
  const by = settled?.settledBy ?? 'node';
  if (settled?.state === 'approved') {
    // Once more, for it may run in another folder by now.
    return whileHeld(parts, task, request, () => {
      // The approver's yes was looked at with what is shown alone: what was left out of that counts too.
      const { verdict, ...more } = parts.database.withReadTx((tx) => toolVerdict(parts, tx, task, request));
      return verdict === 'deny' ? { allowed: false, reason: messageOf(more) } : { allowed: true, by };
    });
  }
  if (settled?.state === 'denied') return { allowed: false, reason: `denied by ${by}` };
  return { allowed: false, reason: `nobody answered: the question is ${settled?.state ?? 'gone'}` };
}

/** A call as it would be made, which is judged, and as people see it, which is kept. */
interface AskedCall {
  readonly request: ToolRequest;
  readonly shown: ToolRequest;
}

/** The question, or the answer where there is one already. */
function askIn(parts: ExecutorParts, tx: WriteTx, id: string, { request, shown }: AskedCall): Question | ToolAnswer {
  const task = requireLive(parts, tx, id);
  // Again, in the transaction that asks: between the two looks the grant may have changed.
  const { verdict, ...more } = toolVerdict(parts, tx, id, request);
  if (verdict === 'allow') return { allowed: true };
  if (verdict === 'deny') return { allowed: false, reason: messageOf(more) };
  const { turn, ids } = nextPlaces(parts, tx, id, 1);
  const lines = toolLines(shown, messageOf(more));
  const row = { task: id, turn, id: ids[0] ?? '', kind: 'approval', text: visibleLines(toolText(lines)) } as const;
  const tool = toolToJson(shown);
  const answer = parts.turns.askApprover(tx, {
    ...{ task, lines, digest: toolDigest(row, tool), subject: { task: id, question: row.id, tool } },
    lifetimeMs: Math.max(1, Math.min(LONGEST_WAIT_MS, (task.deadlineMs ?? Number.POSITIVE_INFINITY) - tx.nowMs)),
  });
  // The fallback: where nobody could ever answer, the answer is no, at once, and no question is left of it.
  if (!answer.asked) {
    if (answer.code === 'NOT_FOUND') throw gone(answer.message);
    return { allowed: false, reason: `${messageOf(more)}; ${answer.message}` };
  }
  const question = parts.turns.questions.insert(tx, { ...row, approval: answer.approval });
  const details = { turn, questions: [`${row.id} permission ${shown.kind}`] };
  tx.audit({ kind: 'task', action: 'task.asked', actor: 'task', subject: id, details });
  tellTurn(parts, tx, task);
  return question;
}

function messageOf(verdict: Omit<Exclude<ToolVerdict, { verdict: 'allow' }>, 'verdict'> | object): string {
  return 'message' in verdict ? verdict.message : '';
}

/** What a task was given in confidence stands in no row, and goes to no peer. */
function withoutSecrets(parts: ExecutorParts, task: string, request: ToolRequest): ToolRequest {
  const run = parts.live.get(task)?.run;
  if (run === undefined) return request;
  const clean = (text: string): string => run.clean(text);
  return {
    ...request,
    title: clean(request.title),
    paths: request.paths.map(clean),
    input: cleanJson(request.input, clean),
    changes: request.changes.map(({ path, before, after }) => ({
      ...{ path: clean(path), after: clean(after) },
      ...(before === undefined ? {} : { before: clean(before) }),
    })),
  };
}

function cleanJson(value: Json, clean: (text: string) => string): Json {
  if (typeof value === 'string') return clean(value);
  if (Array.isArray(value)) return value.map((one) => cleanJson(one, clean));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [clean(key), cleanJson(one, clean)]));
}
