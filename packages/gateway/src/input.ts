import { nearest, quote, WritError } from '@writ/core';
import type { z } from 'zod';

/** Most reasons that one refusal lists. */
const MOST_REASONS = 5;

/** Where older callers put a session; a session is never taken from there. */
const SESSION_CARRIER = '_session_id';

/**
 * What a caller sent, checked against the schema of an operation. Unknown keys are refused with the nearest known one.
 * Throws BAD_REQUEST with at most five reasons; values are never repeated in them.
 */
export function parseInput<I extends z.ZodObject>(schema: I, raw: unknown): z.output<I> {
  if (typeof raw !== 'object' || raw === null || Array.isArray(raw)) {
    throw new WritError('BAD_REQUEST', 'the input must be a JSON object');
  }
  const broken = brokenText(raw);
  if (broken !== undefined) {
    throw new WritError('BAD_REQUEST', `${quote(broken)}: is no text: it holds half of a character`, {
      nextSteps: ['send whole Unicode characters'],
    });
  }
  const result = schema.safeParse(withoutSession(raw));
  if (result.success) return result.data;
  const known = Object.keys(schema.shape);
  const reasons = result.error.issues.slice(0, MOST_REASONS).map((issue) => reasonFor(issue, known));
  const more = result.error.issues.length - reasons.length;
  if (more > 0) reasons.push(`and ${more} more`);
  throw new WritError('BAD_REQUEST', reasons.join('; '));
}

/**
 * Where a text is that no bytes say: JSON can hold half of a character. INVARIANT: 5 each of them would be written as one and the
 * same other character, so that what runs is not what was shown.
 */
function brokenText(raw: object): string | undefined {
  const left: { readonly path: string; readonly value: unknown }[] = [{ path: '', value: raw }];
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    const { path, value } = next;
    if (typeof value === 'string' && !value.isWellFormed()) return path;
    if (typeof value !== 'object' || value === null) continue;
    for (const [key, inner] of Object.entries(value)) {
      const place = path === '' ? key : `${path}.${key}`;
      if (!key.isWellFormed()) return place;
      left.push({ path: place, value: inner });
    }
  }
  return undefined;
}

/** INVARIANT: 7 a caller never chooses its session; what it says of one is dropped before anything looks at it. */
function withoutSession(raw: object): Record<string, unknown> {
  return Object.fromEntries(Object.entries(raw).filter(([key]) => key !== SESSION_CARRIER));
}

function reasonFor(issue: z.core.$ZodIssue, known: readonly string[]): string {
  if (issue.code === 'unrecognized_keys') return unknownKeys(issue.keys, issue.path.length === 0 ? known : []);
  const message = sizeReason(issue) ?? lowerFirst(issue.message);
  return issue.path.length === 0 ? message : `${quote(issue.path.map(String).join('.'))}: ${message}`;
}

/** What has the wrong size, in words of a person; undefined where the size is not what is wrong. */
function sizeReason(issue: z.core.$ZodIssue): string | undefined {
  if (issue.code === 'too_big') {
    const bound = issue.inclusive === false ? 'less than' : 'at most';
    return `has to be ${bound} ${issue.maximum}${unitOf(issue.origin)}`;
  }
  if (issue.code !== 'too_small') return undefined;
  if (issue.origin === 'string' && issue.minimum === 1) return 'is empty';
  return `has to be ${issue.inclusive === false ? 'more than' : 'at least'} ${issue.minimum}${unitOf(issue.origin)}`;
}

function unitOf(origin: string): string {
  return { string: ' characters long', array: ' entries long' }[origin] ?? '';
}

function unknownKeys(keys: readonly string[], known: readonly string[]): string {
  const shown = keys.slice(0, MOST_REASONS).map((key) => {
    const meant = nearest(key, known);
    return meant === undefined ? quote(key) : `${quote(key)} (did you mean ${quote(meant)}?)`;
  });
  const more = keys.length > shown.length ? ` and ${keys.length - shown.length} more` : '';
  return `unknown key ${shown.join(', ')}${more}`;
}

function lowerFirst(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
}
