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
 * The head of a bundle, from its first line with its line break. Throws BAD_REQUEST for a text that is none. Strict: what
 * is read writes itself the same.
 */
export function readHead(line: string): BundleHead {
  const head = fieldsOf(line);
  if (`${formatHead(head)}\n` === line) return head;
  throw noBundle('its first line is not spelled as a node writes it');
}

function fieldsOf(line: string): BundleHead {
  const head = parse(line);
  if (head?.format !== BUNDLE_FORMAT) throw noBundle('it is no bundle of an audit log');
  if (head.version !== BUNDLE_VERSION) throw noBundle('it is a bundle of another version');
  const { node, from, to, checkpoint, certificates, before, after, since } = head;
  const isWhole =
    typeof node === 'string' &&
    isCount(from) &&
    isCount(to) &&
    typeof checkpoint === 'string' &&
    isTexts(certificates) &&
    certificates.every((text) => Buffer.from(text, 'base64').toString('base64') === text) &&
    isHashes(before) &&
    isHashes(after);
  if (!isWhole) throw noBundle('its first line is not whole');
  const base = { format: BUNDLE_FORMAT, version: BUNDLE_VERSION, node, from, to, checkpoint, certificates } as const;
  if (since === undefined) return { ...base, before, after };
  const { size, proof } = isRecord(since) ? since : {};
  if (!isCount(size) || !isHashes(proof)) throw noBundle('its first line is not whole');
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
