import { rmSync } from 'node:fs';
import { isWritError } from '@writ/core';
import { peekAudit } from '@writ/database';
import { certificateDer } from '@writ/identity';
import { type AuditLog, createAuditLog } from '../../audit-log.ts';
import { verifyBundle } from '../../bundle/verify-bundle.ts';
import type { VerifyReport } from '../../verify/types.ts';
import { BUNDLE_TAMPERINGS } from './bundles.ts';
import { FILE_TAMPERINGS } from './files.ts';
import { ROW_TAMPERINGS } from './rows.ts';
import { SIGNED_TAMPERINGS } from './signed.ts';
import type { BundleTampering, Expected, Tampering, Victim } from './types.ts';
import { createOriginal, type Original } from './victims.ts';

/** What many tamperings came to. */
export interface TamperFigures {
  readonly tamperings: number;
  /** Kinds of them. */
  readonly kinds: number;
  /** Those that verifying found. */
  readonly found: number;
  /** Those where it named the entry, its place and what became of it. */
  readonly exact: number;
  /** Logs that nobody had tampered with, and those of them that were called so. */
  readonly untouched: number;
  readonly falseAlarms: number;
  /** What was missed or named wrong. */
  readonly failures: readonly string[];
}

export const TAMPERINGS: readonly (Tampering | BundleTampering)[] = [
  ...ROW_TAMPERINGS,
  ...FILE_TAMPERINGS,
  ...SIGNED_TAMPERINGS,
  ...BUNDLE_TAMPERINGS,
];

/** Tampers `count` times, each kind in turn, and verifies each time what is left. */
export async function tamperOften(count: number, seed: number): Promise<TamperFigures> {
  const original = await createOriginal();
  const next = createNumbers(seed);
  const pick: Victim['pick'] = (from, to) => from + Math.floor(next() * (to - from + 1));
  const failures: string[] = [];
  const figures = { found: 0, exact: 0, untouched: 0, falseAlarms: 0 };
  try {
    for (let at = 0; at < count; at++) {
      const tampering = TAMPERINGS[at % TAMPERINGS.length];
      if (tampering === undefined) break;
      const victim = original.copy(pick);
      if (at % TAMPERINGS.length === 0) {
        figures.untouched++;
        if (!(await verify(original, victim, true)).ok) figures.falseAlarms++;
      }
      const { isFound, failure } = await tamper(original, victim, tampering, at % 2 === 0);
      if (isFound) figures.found++;
      if (failure === undefined) figures.exact++;
      else failures.push(`${at}: ${tampering.name}: ${failure}`);
      rmSync(victim.dir, { recursive: true, force: true });
    }
  } finally {
    original.remove();
  }
  return { tamperings: count, kinds: TAMPERINGS.length, ...figures, failures };
}

interface Attempt {
  readonly isFound: boolean;
  /** What was named wrong. */
  readonly failure?: string;
}

async function tamper(
  original: Original,
  victim: Victim,
  tampering: Tampering | BundleTampering,
  withKept: boolean,
): Promise<Attempt> {
  if ('change' in tampering) return tamperBundle(original, victim, tampering);
  const expected = await tampering.apply(victim);
  const report = await verify(original, victim, expected.needsKept === true || withKept);
  const isFound = !report.ok;
  if (isNamed(report, expected)) return { isFound };
  return { isFound, failure: `expected ${JSON.stringify(expected)}, ${said(report)}` };
}

async function tamperBundle(original: Original, victim: Victim, tampering: BundleTampering): Promise<Attempt> {
  const bundle = await withLog(original, victim, async (log) => {
    const all: string[] = [];
    for await (const line of log.export({})) all.push(line);
    return all;
  });
  const { lines, entry } = tampering.change(bundle, victim.pick);
  try {
    const report = await verifyBundle(each(lines), []);
    const isFound = !report.ok;
    const isExact = report.problems.some(({ from = 0, to = from }) => entry === 0 || (from <= entry && entry <= to));
    return isExact ? { isFound } : { isFound, failure: `expected entry ${entry}, ${said(report)}` };
  } catch (error) {
    // No bundle at all: its head was changed.
    return entry === 0 && isWritError(error)
      ? { isFound: true }
      : { isFound: false, failure: `expected entry ${entry}, ${String(error)}` };
  }
}

async function* each(lines: readonly string[]): AsyncGenerator<string> {
  for (const line of lines) yield `${line}\n`;
}

function verify(original: Original, victim: Victim, withKept: boolean): Promise<VerifyReport> {
  const kept = withKept ? [original.kept] : [];
  return withLog(original, victim, (log) => log.verify(kept, () => undefined, new AbortController().signal));
}

async function withLog<T>(original: Original, victim: Victim, use: (log: AuditLog) => Promise<T>): Promise<T> {
  const rows = peekAudit(victim.databaseFile);
  const identityDer = certificateDer(original.identity.public.certificatePem);
  try {
    return await use(createAuditLog({ rows, files: victim.files, identityDer, settle: async () => undefined }));
  } finally {
    rows.close();
  }
}

/** Whether a problem says where, what and which. */
function isNamed({ problems }: VerifyReport, { where, kind, entry }: Expected): boolean {
  return problems.some(
    (problem) =>
      where.includes(problem.where) &&
      kind.includes(problem.kind) &&
      (entry === undefined ||
        (problem.from !== undefined && problem.from <= entry && entry <= (problem.to ?? problem.from))),
  );
}

function said({ problems }: VerifyReport): string {
  const words = problems.map(({ where, kind, from, to }) => `${where} ${kind} ${from ?? '-'}..${to ?? '-'}`);
  return `said: ${words.slice(0, 6).join(', ') || 'nothing'}`;
}

/** Numbers in [0, 1) from a seed (mulberry32). */
function createNumbers(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
