import type { Json } from '@writ/core';
import { fieldsOf } from '@writ/database';
import { z } from 'zod';
import type { ActionRequest } from './types.ts';

const requestSchema: z.ZodType<ActionRequest> = z.strictObject(
  fieldsOf<ActionRequest>()({
    origin: z.string(),
    session: z.string(),
    agent: z.string(),
    argv: z.array(z.string()).readonly(),
    cwd: z.string(),
    stdin: z.string().optional(),
    profile: z.string(),
    runner: z.string(),
    network: z.union([z.enum(['deny', 'allow']), z.array(z.string()).readonly()]),
    isolation: z.enum(['required', 'none']),
    target: z.string().optional(),
    inner: z.array(z.array(z.string()).readonly()).readonly(),
  }),
);

/** A request as it is stored with its command, until that may run. */
export function writeRequest(request: ActionRequest): Json {
  return JSON.parse(JSON.stringify(request));
}

/** The reverse of `writeRequest`; undefined for what is none, which then cannot run. */
export function readRequest(json: Json): ActionRequest | undefined {
  return requestSchema.safeParse(json).data;
}
