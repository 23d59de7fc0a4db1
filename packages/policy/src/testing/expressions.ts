import { ALONE } from '../classification/alone-table.ts';
import { COVERED, REMOVALS } from '../classification/covered-table.ts';
import { PACKS } from '../classification/packs/index.ts';
import { GUARDING_UNIT, OPENING_UNIT, SYSTEM_UNIT } from '../classification/units.ts';

/** A regular expression that words of strangers are held against. */
export interface Expression {
  readonly of: RegExp;
  /** Texts that it may be held against, as they are written. */
  readonly texts: readonly string[];
}

/** Every expression of the built-in rules and of the closed lists, each once. */
export function allExpressions(): readonly Expression[] {
  const units = [SYSTEM_UNIT, OPENING_UNIT, GUARDING_UNIT].map((of) => ({
    of,
    texts: ['sshd.service', 'a@b.service'],
  }));
  const bySource = new Map<string, Expression>();
  for (const one of [...expressionsOf(PACKS), ...expressionsOf([ALONE, COVERED, REMOVALS]), ...units]) {
    const key = `${one.of.source} ${one.of.flags}`;
    bySource.set(key, { of: one.of, texts: [...new Set([...(bySource.get(key)?.texts ?? []), ...one.texts])] });
  }
  return [...bySource.values()];
}

/** All expressions below a value, with the examples that stand beside them. */
function expressionsOf(value: unknown, texts: readonly string[] = []): readonly Expression[] {
  if (value instanceof RegExp) return [{ of: value, texts }];
  if (typeof value !== 'object' || value === null) return [];
  const { examples, notExamples } = value as { [key in 'examples' | 'notExamples']?: readonly (readonly string[])[] };
  const own = [...(examples ?? []), ...(notExamples ?? [])].map((argv) => argv.slice(1));
  const told = own.length === 0 ? texts : own.flatMap((argv) => [argv.map((text) => `\n${text}`).join(''), ...argv]);
  return Object.values(value).flatMap((one) => expressionsOf(one, told));
}
