import { quote, sha256Hex, WritError } from '@writ/core';
import { buildConfig } from './config.ts';
import { type CompiledPolicy, indexConfig } from './policy-index.ts';
import { claimsDeprecation } from './profiles.ts';
import type { Report } from './readers.ts';
import { type Document, documentReader } from './schema.ts';
import { runSelfTests, type SelfTestResult } from './self-tests.ts';
import { readSource } from './source.ts';
import type { Config, Deprecation, Violation } from './types.ts';

export type CompileResult =
  | { readonly ok: true; readonly policy: CompiledPolicy }
  | { readonly ok: false; readonly violations: readonly Violation[] };

/** A text that keeps every rule of loading but, perhaps, its own tests. */
type BuildResult =
  | { readonly ok: true; readonly policy: CompiledPolicy; readonly tests: readonly SelfTestResult[] }
  | { readonly ok: false; readonly violations: readonly Violation[] };

/**
 * A configuration text as a policy that may be put in force, or everything that is wrong with it, in the order of the
 * file. Pure: no files, no clock, no network.
 */
export function compileConfig(text: string): CompileResult {
  const built = buildPolicy(text);
  if (!built.ok) return built;
  const { position } = built.policy.index;
  const failed = built.tests.filter(({ ok }) => !ok).map((test) => withPosition(violationOf(test), position));
  return failed.length > 0 ? { ok: false, violations: failed } : { ok: true, policy: built.policy };
}

/** As `compileConfig`, for a text that has to load; throws CONFIG_INVALID with every violation. */
export function compileOrThrow(text: string): CompiledPolicy {
  const compiled = compileConfig(text);
  if (compiled.ok) return compiled.policy;
  throw configInvalid(compiled.violations);
}

/** CONFIG_INVALID with every violation. */
export function configInvalid(violations: readonly Violation[]): WritError {
  return new WritError('CONFIG_INVALID', `the configuration does not load\n${formatViolations(violations)}`, {
    details: { violations: violations.length },
    nextSteps: ['mend the lines above and run: writ policy validate'],
  });
}

/** One of a configuration's own `[[tests]]` and what came of it. */
export interface ConfigTestResult extends Omit<SelfTestResult, 'path'> {
  readonly line?: number;
}

export type ConfigTestReport =
  | { readonly ok: true; readonly results: readonly ConfigTestResult[] }
  | { readonly ok: false; readonly violations: readonly Violation[] };

/** Runs the `[[tests]]` of a text, failing ones included; not ok where it does not load for another reason. */
export function testConfig(text: string): ConfigTestReport {
  const built = buildPolicy(text);
  if (!built.ok) return built;
  const results = built.tests.map(({ path, ...result }) => {
    const line = built.policy.index.position(path)?.line;
    return line === undefined ? result : { ...result, line };
  });
  return { ok: true, results };
}

function buildPolicy(text: string): BuildResult {
  const parsed = readSource(text);
  if (!parsed.ok) return { ok: false, violations: [{ code: 'TOML_SYNTAX', path: '', ...parsed.failure }] };
  const { source } = parsed;
  const found: Violation[] = [];
  const report: Report = (code, path, message) => {
    if (found.length === MOST_VIOLATIONS) throw new TooManyViolations();
    found.push({ code, path, message });
  };
  const read = readAll(source.value, report);
  if (!read || found.length > 0) return { ok: false, violations: placeViolations(found, source.position, !read) };
  const { written, config } = read;
  const index = indexConfig(config, source.position);
  const deprecations = findDeprecations(written).map((one) => withPosition(one, source.position));
  const policy = { text, digest: sha256Hex(text), config, deprecations, index };
  return { ok: true, policy, tests: runSelfTests(written.tests ?? [], index) };
}

/** Most violations that are reported at once: nobody mends more before the next try, and each hint takes its time. */
const MOST_VIOLATIONS = 500;

/** Thrown inside this file only. */
class TooManyViolations extends Error {}

/** The document, a table like every TOML text, and what it means; undefined where more is wrong than is reported. */
function readAll(value: unknown, report: Report): { readonly written: Document; readonly config: Config } | undefined {
  try {
    const written = documentReader.read(value, '', report);
    return written && { written, config: buildConfig(written, report) };
  } catch (error) {
    if (error instanceof TooManyViolations) return undefined;
    throw error;
  }
}

function violationOf({ path, expected, got, message }: SelfTestResult): Violation {
  return { code: 'TEST_FAILED', path, message: `expected ${quote(expected)}, decided ${quote(got)}: ${message}` };
}

function findDeprecations(written: Document): readonly Deprecation[] {
  return [...(written.profiles?.values() ?? [])]
    .filter(({ value }) => value.claims !== undefined)
    .map(({ path }) => claimsDeprecation(path));
}

type Place = CompiledPolicy['index']['position'];

function withPosition<T extends { readonly path: string }>(one: T, place: Place): T {
  const position = place(one.path);
  return position ? { ...one, position } : one;
}

function placeViolations(found: readonly Violation[], place: Place, isCut: boolean): readonly Violation[] {
  const placed = found.map((one) => withPosition(one, place));
  placed.sort((a, b) => (a.position?.line ?? 0) - (b.position?.line ?? 0));
  const message = `more than ${MOST_VIOLATIONS} things are wrong, mend these first`;
  return isCut ? [...placed, { code: 'BAD_VALUE', path: '', message }] : placed;
}

/** Violations as lines for people: place, key path, what is wrong. */
export function formatViolations(violations: readonly Violation[]): string {
  return violations.map(formatViolation).join('\n');
}

function formatViolation({ code, path, position, message }: Violation): string {
  const place = position ? `line ${position.line}, column ${position.column}: ` : '';
  return `${place}${path === '' ? '' : `${path}: `}${message} (${code})`;
}
