import { WritError } from '@writ/core';
import { lineOf, readLine } from '../entry.ts';
import { BUNDLE_FORMAT, BUNDLE_VERSION, type BundleEntry, type BundleHead } from './types.ts';

const HASH = /^[0-9a-f]{64}$/;
const ENTRY = /^\{"leaf":"(?<leaf>[0-9a-f]{64})","entry":(?<text>\{.*\})\}\n$/;

/** The head of a bundle as its first line. */
export function formatHead(head: BundleHead): string {
  const { format, version, node, from, to, checkpoint, certificates, before, after, since } = head;
  const base = { format, version, node, from, to, checkpoint, certificates, before, after };
  return JSON.stringify(since === undefined ? base : { ...base, since: { size: since.size, proof: since.proof } });
}

/** An entry of a bundle as its line; `text` is the line of the entry in the log. */
export function formatBundleEntry(leaf: string, text: string): string {
  return `{"leaf":"${leaf}","entry":${text}}`;
}

/**
 * The head of a bundle, from its first line with its line break; `next` is the line behind it. Strict: what is read writes
 * itself the same. Undefined for that of a bundle which is not as a node writes it: a person has to hear of tampering, and not
 * of a wrong file. Throws BAD_REQUEST for what is no bundle, or one of another version.
 */
export function readHead(line: string, next: string | undefined): BundleHead | undefined {
  const said = parse(line);
  const head = said && fieldsOf(said);
  if (head !== undefined && `${formatHead(head)}\n` === line) {
    if (said?.version === BUNDLE_VERSION) return head;
    // All else is as this version has it, to the letter: only its number was changed.
    return undefined;
  }
  if (said?.format === BUNDLE_FORMAT && isCount(said.version) && said.version !== BUNDLE_VERSION) {
    throw noBundle('it is a bundle of another version');
  }
  if (line.includes(BEGINNING) || (next !== undefined && readBundleEntry(next) !== undefined)) return undefined;
  throw noBundle('it is no bundle of an audit log');
}

/** How the first line of each says what it is. */
const BEGINNING = `"format":"${BUNDLE_FORMAT}"`;

function fieldsOf(head: Record<string, unknown>): BundleHead | undefined {
  const { node, from, to, checkpoint, certificates, before, after, since } = head;
  const isWhole =
    head.format === BUNDLE_FORMAT &&
    typeof node === 'string' &&
    isCount(from) &&
    isCount(to) &&
    typeof checkpoint === 'string' &&
    isTexts(certificates) &&
    certificates.every((text) => Buffer.from(text, 'base64').toString('base64') === text) &&
    isHashes(before) &&
    isHashes(after);
  if (!isWhole) return undefined;
  const version = head.version as typeof BUNDLE_VERSION;
  const base = { format: BUNDLE_FORMAT, version, node, from, to, checkpoint, certificates } as const;
  if (since === undefined) return { ...base, before, after };
  const { size, proof } = isRecord(since) ? since : {};
  if (!isCount(size) || !isHashes(proof)) return undefined;
  return { ...base, before, after, since: { size, proof } };
}

/**
 * An entry of a bundle, from its line with its line break; undefined where the line is none. There is one spelling of it: a key that stands there twice would
 * say one thing to who signed and another to who reads.
 */
export function readBundleEntry(line: string): BundleEntry | undefined {
  const { leaf = '', text = '' } = ENTRY.exec(line)?.groups ?? {};
  const entry = readLine(text);
  return entry && lineOf(entry) === text ? { leaf, entry } : undefined;
}

function noBundle(message: string): WritError {
  return new WritError('BAD_REQUEST', message, { nextSteps: ['make one: writ audit export --output FILE'] });
}

function parse(line: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((one) => typeof one === 'string');
}

function isHashes(value: unknown): value is readonly string[] {
  return isTexts(value) && value.every((one) => HASH.test(one));
}
