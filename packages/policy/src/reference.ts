import type { Keys } from './readers.ts';
import { CONFIG_KEYS } from './schema.ts';

/** One row of the table of every key. */
export interface ReferenceRow {
  /** Key path, `NAME` standing for a name of your own. */
  readonly key: string;
  readonly type: string;
  /** As it would be written; `required`, or empty where nothing stands in. */
  readonly default: string;
  readonly meaning: string;
}

/** Every key that a configuration may have, in the order of the schema that also checks them. */
export function configReference(): readonly ReferenceRow[] {
  return rowsOf(CONFIG_KEYS, '');
}

function rowsOf(keys: Keys, prefix: string): readonly ReferenceRow[] {
  return Object.entries(keys).flatMap(([name, key]) => {
    const path = prefix === '' ? name : `${prefix}.${name}`;
    const { inside } = key.reader;
    if (inside) return rowsOf(inside.keys, inside.path(path));
    const shown = key.reader.type === 'a table by name' ? `${path}.NAME` : path;
    const type = key.reader.type === 'a table by name' ? 'a name' : key.reader.type;
    return [{ key: shown, type, default: key.required ? 'required' : (key.shownDefault ?? ''), meaning: key.meaning }];
  });
}
