import { quote, WritError } from '@writ/core';
import { isTerminal, type Mirror, readResult, type Task } from '@writ/delegation';
import type { KnownResult } from '../views/result-view.ts';
import type { FoundTask, TaskEnds } from './task-lookup.ts';

/**
 * The result of a task: what came back and was verified where this node asked, else what it signed itself; undefined
 * where there is none.
 */
export function findResult(ends: TaskEnds, found: FoundTask): KnownResult | undefined {
  return found.asked === undefined ? signedHere(ends, found.executing) : received(ends, found.asked);
}

/** As `findResult`. Throws EVIDENCE_INVALID where what came was refused, NOT_FOUND saying why there is none. */
export function requireResult(ends: TaskEnds, found: FoundTask): KnownResult {
  const known = findResult(ends, found);
  if (known !== undefined) return known;
  const { id, state, outcome } = found.asked ?? found.executing;
  if (outcome === undefined || !isTerminal(state)) {
    throw new WritError('NOT_FOUND', `task ${quote(id)} is ${state}: it has no result yet`, {
      nextSteps: [`follow it with wait or writ task watch ${id}`],
    });
  }
  const refused = outcome.code === 'EVIDENCE_INVALID';
  throw new WritError(
    refused ? 'EVIDENCE_INVALID' : 'NOT_FOUND',
    refused ? outcome.message : `task ${quote(id)} has no signed result: it is ${state}: ${outcome.message}`,
    { nextSteps: [`see what is recorded of it: writ task show ${id}`] },
  );
}

function received({ origin }: TaskEnds, { id }: Mirror): KnownResult | undefined {
  const came = origin.result(id);
  if (came === undefined) return undefined;
  return {
    side: 'asked',
    sha256: came.sha256,
    standing: came.standing,
    result: came.result,
    late: came.late,
    receivedAtMs: came.receivedAtMs,
    ...(came.acknowledgedAtMs === undefined ? {} : { receiptAtMs: came.acknowledgedAtMs }),
    ...(came.refusedAtMs === undefined ? {} : { receiptRefusedAtMs: came.refusedAtMs }),
    nested: came.children,
  };
}

function signedHere({ executor, origin }: TaskEnds, { id }: Task): KnownResult | undefined {
  const signed = executor.result(id);
  if (signed === undefined) return undefined;
  const result = readResult(signed.envelope);
  return {
    side: 'executing',
    sha256: signed.sha256,
    standing: 'own',
    result,
    late: false,
    ...(signed.receiptAtMs === undefined ? {} : { receiptAtMs: signed.receiptAtMs }),
    nested: result.children.map((child) => {
      // What the task handed on was asked from here, so that its result came here.
      const came = origin.get(child.task)?.parent === id ? origin.result(child.task) : undefined;
      return came?.sha256 === child.envelope ? came : undefined;
    }),
  };
}

/** The digest that a caller means: an artifact by its name, or anything that the result names. Throws NOT_FOUND. */
export function digestOf(
  known: KnownResult,
  wanted: { readonly name?: string | undefined; readonly sha256?: string | undefined },
): { readonly sha256: string; readonly bytes?: number } {
  const { name, sha256 = '' } = wanted;
  const { artifacts, changes, task } = known.result;
  const named = [...artifacts, ...(changes.kind === 'changed' ? [changes.patch, changes.bundle] : [])];
  const found =
    name === undefined ? named.find((one) => one.sha256 === sha256) : artifacts.find((one) => one.name === name);
  if (found !== undefined) return { sha256: found.sha256, bytes: found.bytes };
  if (name === undefined) return { sha256 };
  throw new WritError('NOT_FOUND', `task ${quote(task)} has no artifact ${quote(name)}`, {
    nextSteps: ['see what there is with list_artifacts or writ task artifact TASK'],
  });
}

/** Throws NOT_FOUND for a task that was not asked for from here: its result is this node's own word. */
export function requireAsked(found: FoundTask): Mirror {
  if (found.asked !== undefined) return found.asked;
  throw new WritError('NOT_FOUND', `task ${quote(found.executing.id)} was not asked for from here, it ran here`, {
    nextSteps: [`read what this node signed: writ task result ${found.executing.id}`],
  });
}
