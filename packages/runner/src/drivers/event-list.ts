import { z } from 'zod';

/**
 * A list whose every element is one, as a schema. It is looked through no further than to the first that is none: zod itself makes an error of each,
 * which takes a hundred times as long as to read it, and whoever writes to the agent's output can put thousands of them into a line.
 */
export function listOf<T>(isOne: (value: unknown) => value is T) {
  return z.custom<readonly T[]>((value) => Array.isArray(value) && value.every(isOne));
}

/** Whether it is an object that has a text under each of these keys. */
export function hasTexts<K extends string>(
  value: unknown,
  ...keys: readonly K[]
): value is Readonly<Record<K, string>> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const held = value as Readonly<Record<string, unknown>>;
  return keys.every((key) => typeof held[key] === 'string');
}
