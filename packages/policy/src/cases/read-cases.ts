import { quote, WritError } from '@writ/core';
import type { CommandCase } from './command-cases.ts';
import type { DecideCase, PolicyCase } from './policy-cases.ts';

type Fields = Readonly<Record<string, unknown>>;

/** Cases of `commands.json`. Throws BAD_REQUEST with the place of the first that is none. */
export function readCommandCases(text: string): readonly CommandCase[] {
  return readList(text, (entry) => isTexts(entry.argv) && isText(entry.class) && isMaybe(isText, entry.target)).map(
    (entry) => entry as unknown as CommandCase,
  );
}

/** Cases of `policy.json`. Throws BAD_REQUEST with the place of the first that is none. */
export function readPolicyCases(text: string): readonly PolicyCase[] {
  return readList(text, isPolicyCase).map((entry) => entry as unknown as PolicyCase);
}

function readList(text: string, isCase: (entry: Fields) => boolean): readonly Fields[] {
  const list = parse(text);
  if (!Array.isArray(list)) throw new WritError('BAD_REQUEST', 'a file of cases is a JSON list');
  return list.map((entry: unknown, at) => {
    if (isFields(entry) && isCase(entry)) return entry;
    throw new WritError(
      'BAD_REQUEST',
      `case ${at + 1} of ${list.length} is none: ${quote(JSON.stringify(entry).slice(0, 80))}`,
    );
  });
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new WritError('BAD_REQUEST', 'a file of cases is a JSON list', { cause: error });
  }
}

const isText = (value: unknown): boolean => typeof value === 'string';
const isTexts = (value: unknown): boolean => Array.isArray(value) && value.every(isText);
const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const isMaybe = (is: (value: unknown) => boolean, value: unknown): boolean => value === undefined || is(value);

function isPolicyCase({ name, toml, load, decide }: Fields): boolean {
  const isLoad = load === 'ok' || (Array.isArray(load) && load.every((one) => isFields(one) && isText(one.code)));
  const isDecide = decide === undefined || (Array.isArray(decide) && decide.every(isDecideCase));
  return isText(name) && isText(toml) && isLoad && isDecide;
}

function isDecideCase(value: unknown): value is DecideCase {
  if (!isFields(value)) return false;
  const { from, expect, chain, profile, runner, workspace, grant, usage } = value;
  const isNamed = [profile, runner, workspace].every((one) => isMaybe(isText, one));
  const isUsage = usage === undefined || (isFields(usage) && Object.values(usage).every(Number.isFinite));
  return isText(from) && isText(expect) && isMaybe(isTexts, chain) && isMaybe(isTexts, grant) && isNamed && isUsage;
}
