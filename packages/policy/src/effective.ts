import { joinPath } from './key-path.ts';
import type { Keys } from './readers.ts';
import { CONFIG_KEYS } from './schema.ts';
import { readSource } from './source.ts';

/** One value that holds, and where it comes from. */
export interface EffectiveValue {
  /** Key path, for example `profiles.query.timeout`. */
  readonly key: string;
  /** As written in the file; as documented where it is the default. */
  readonly value: unknown;
  readonly source: 'file' | 'default';
  /** 1-based line of the file. */
  readonly line?: number;
}

type Values = Readonly<Record<string, unknown>>;

/**
 * Every value of a configuration text with its source: what the file says, and the defaults that stand in, in the order
 * of the schema. Undefined where the text is no TOML; whether it keeps the rules is for `compileConfig` to say.
 */
export function effectiveValues(text: string): readonly EffectiveValue[] | undefined {
  const parsed = readSource(text);
  if (!parsed.ok) return undefined;
  const { value, position } = parsed.source;
  return valuesOf(CONFIG_KEYS, value, '', (path) => position(path)?.line);
}

type LineOf = (path: string) => number | undefined;

function valuesOf(keys: Keys, written: Values, prefix: string, lineOf: LineOf): readonly EffectiveValue[] {
  return Object.entries(keys).flatMap(([name, { reader, shownDefault }]) => {
    const key = joinPath(prefix, name);
    const value = Object.hasOwn(written, name) ? written[name] : undefined;
    const below = reader.inside?.keys;
    if (below) return insideOf({ below, shape: reader.shape, value, key, lineOf });
    if (value === undefined) {
      return shownDefault === undefined ? [] : [{ key, value: shownDefault, source: 'default' as const }];
    }
    if (!isValues(value)) return [fromFile(key, value, lineOf)];
    return Object.entries(value).map(([inner, one]) => fromFile(joinPath(key, inner), one, lineOf));
  });
}

interface Inside {
  readonly below: Keys;
  readonly shape: Values;
  readonly value: unknown;
  readonly key: string;
  readonly lineOf: LineOf;
}

/** Tables in a list and by name are those that are written; a single one has its defaults also where it is not. */
function insideOf({ below, shape, value, key, lineOf }: Inside): readonly EffectiveValue[] {
  if (shape.type === 'array') {
    const list: readonly unknown[] = Array.isArray(value) ? value : [];
    return list.flatMap((one, at) => (isValues(one) ? valuesOf(below, one, joinPath(key, at), lineOf) : []));
  }
  if (!('additionalProperties' in shape)) return valuesOf(below, isValues(value) ? value : {}, key, lineOf);
  return Object.entries(isValues(value) ? value : {}).flatMap(([name, one]) =>
    isValues(one) ? valuesOf(below, one, joinPath(key, name), lineOf) : [],
  );
}

function fromFile(key: string, value: unknown, lineOf: LineOf): EffectiveValue {
  const line = lineOf(key);
  return { key, value, source: 'file', ...(line === undefined ? {} : { line }) };
}

function isValues(value: unknown): value is Values {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Date);
}
