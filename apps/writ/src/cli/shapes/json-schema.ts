import { WRIT_CODES } from '@writ/core';
import { z } from 'zod';
import { JSON_SHAPES } from './index.ts';

/** Counts up when a shape changes so that a reader of the old one would be wrong. */
const SHAPE_VERSION = 1;

const failure = z.object({
  error: z.object({
    code: z.enum(WRIT_CODES),
    message: z.string(),
    details: z.record(z.string(), z.unknown()),
    nextSteps: z.array(z.string()).describe('what to type or to do'),
  }),
});

/** The document `docs/schemas/cli.v1.schema.json`: the shape of each command under `$defs`, by its words. */
export function cliJsonSchema(): object {
  const defs = Object.entries(JSON_SHAPES).map(([command, { form, schema }]) => [
    command,
    { description: form === 'one' ? 'one object' : 'one object a line', ...inner(schema) },
  ]);
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: `What each command prints with --json, version ${SHAPE_VERSION}`,
    description:
      'Under $defs by the words of the command. Within one version properties are added, and none is removed or changed. Whatever the command, a failure is the object `error`.',
    $defs: { error: inner(failure), ...Object.fromEntries(defs) },
  };
}

function inner(schema: z.ZodType): object {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io: 'output', unrepresentable: 'any' });
  return rest;
}
