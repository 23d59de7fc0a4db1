import type { Keys } from './readers.ts';
import { CONFIG_KEYS } from './schema.ts';

/** A JSON Schema of draft 2020-12, as far as it is used here. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** JSON Schema of `writ.toml` for editors, made from the schema that also checks it. What rules say is not in it. */
export function configJsonSchema(): JsonSchema {
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'writ.toml',
    ...tableSchema(CONFIG_KEYS),
  };
}

function tableSchema(keys: Keys): JsonSchema {
  const needed = Object.entries(keys).flatMap(([name, key]) => (key.required ? [name] : []));
  const properties = Object.entries(keys).map(([name, { reader, meaning, shownDefault }]) => {
    const inside = reader.inside?.keys;
    const shape = reader.shape;
    const fallback = shownDefault === undefined ? {} : { default: defaultOf(shownDefault, shape) };
    return [name, { description: meaning, ...(inside ? around(shape, tableSchema(inside)) : shape), ...fallback }];
  });
  return {
    type: 'object',
    properties: Object.fromEntries(properties),
    ...(needed.length > 0 ? { required: needed } : {}),
    additionalProperties: false,
  };
}

/** A table stands alone, by name, or in a list. */
function around(shape: JsonSchema, table: JsonSchema): JsonSchema {
  if (shape.type === 'array') return { type: 'array', items: table };
  return 'additionalProperties' in shape ? { ...shape, additionalProperties: table } : table;
}

function defaultOf(shown: string, { type }: JsonSchema): unknown {
  return type === 'string' || type === undefined ? shown : JSON.parse(shown);
}
