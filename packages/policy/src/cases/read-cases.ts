import { quote, WritError } from '@writ/core';
import type { CommandCase } from './command-cases.ts';
import type { DecideCase, PolicyCase } from './policy-cases.ts';

type Fields = Readonly<Record<string, unknown>>;

const COMMANDS = '[{ "argv": ["git", "status"], "class": "read" }]';
const POLICIES = '[{ "name": "loads", "toml": "schema = 1 …", "load": "ok" }]';

/** Cases of `commands.json`. Throws BAD_REQUEST with the place of the first that is none, and where there is not one. */
export function readCommandCases(text: string): readonly CommandCase[] {
  return readList(
    text,
    COMMANDS,
    (entry) => isTexts(entry.argv) && isText(entry.class) && isMaybe(isText, entry.target),
  ).map((entry) => entry as unknown as CommandCase);
}

/** Cases of `policy.json`. Throws BAD_REQUEST with the place of the first that is none, and where there is not one. */
export function readPolicyCases(text: string): readonly PolicyCase[] {
  return readList(text, POLICIES, isPolicyCase).map((entry) => entry as unknown as PolicyCase);
}

/** `example` is what a file of one case looks like. A file without a case checks nothing, which nobody meant who named it. */
function readList(text: string, example: string, isCase: (entry: Fields) => boolean): readonly Fields[] {
  const nextSteps = [`write a JSON list of cases, such as ${example}`];
  if (text.trim() === '') throw new WritError('BAD_REQUEST', 'the file of cases is empty', { nextSteps });
  const list = parse(text, nextSteps);
  if (!Array.isArray(list)) throw new WritError('BAD_REQUEST', 'a file of cases is a JSON list', { nextSteps });
  if (list.length === 0) throw new WritError('BAD_REQUEST', 'the file of cases holds no case', { nextSteps });
  return list.map((entry: unknown, at) => {
    if (isFields(entry) && isCase(entry)) return entry;
    throw new WritError(
      'BAD_REQUEST',
      `case ${at + 1} of ${list.length} is none: ${quote(JSON.stringify(entry).slice(0, 80))}`,
      { nextSteps: [`write it like ${example.slice(1, -1)}`] },
    );
  });
}

function parse(text: string, nextSteps: readonly string[]): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new WritError('BAD_REQUEST', 'a file of cases is a JSON list', { cause: error, nextSteps });
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
