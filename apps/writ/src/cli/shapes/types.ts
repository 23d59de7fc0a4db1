import type { z } from 'zod';

/** What a command prints with `--json`: one object, or one a line for as long as it runs. */
export interface JsonShape {
  readonly form: 'one' | 'lines';
  readonly schema: z.ZodType;
}

/** Shapes by command, such as `task list`. */
export type JsonShapes = Readonly<Record<string, JsonShape>>;

/** A command that prints one object. */
export const one = (schema: z.ZodType): JsonShape => ({ form: 'one', schema });

/** A command that prints an object a line. */
export const lines = (schema: z.ZodType): JsonShape => ({ form: 'lines', schema });
