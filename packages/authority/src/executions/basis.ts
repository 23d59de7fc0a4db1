import type { Json } from '@writ/core';
import { fieldsOf } from '@writ/database';
import { z } from 'zod';
import type { Ask, Subject } from '../types.ts';

const names = z.array(z.string()).readonly();

/** What a right of no task is decided from: who asked for what, as credentials proved it then. */
export interface CommandBasis {
  readonly subject: Subject;
  readonly ask: Ask;
  /** When the writs end that it was asked with, milliseconds since the epoch; absent: it came with none. */
  readonly writExpiresAtMs?: number;
}

const basisSchema: z.ZodType<CommandBasis> = z.object({
  writExpiresAtMs: z.number().optional(),
  subject: z.object(fieldsOf<Subject>()({ from: z.string(), origin: z.string(), session: z.string() })),
  ask: z.object(
    fieldsOf<Ask>()({
      chain: names,
      profile: z.string().optional(),
      runner: z.string().optional(),
      workspace: z.string().optional(),
      input: z.enum(['argv', 'prompt']).optional(),
      grants: z.array(names).readonly().optional(),
      grantWorkspaces: names.optional(),
      grantNetwork: z.union([z.enum(['deny', 'allow']), names]).optional(),
      grantMaxOutputBytes: z.number().optional(),
      depthLeft: z.number().optional(),
    }),
  ),
});

const taskBasisSchema = z.strictObject({ workspace: z.string() });

/** A basis as it is stored with a command or a plan. */
export function writeBasis(basis: CommandBasis): Json {
  return JSON.parse(JSON.stringify(basis));
}

/** What is stored with a command or a plan of a task, whose right is that of the task: where it works. */
export function writeTaskBasis(workspace: string | undefined): Json {
  return workspace === undefined ? {} : { workspace };
}

/** The workspace that a command or a plan was asked for; undefined: none, or its basis cannot be read. */
export function workspaceOf(basis: Json): string | undefined {
  return readBasis(basis)?.ask.workspace ?? taskBasisSchema.safeParse(basis).data?.workspace;
}

/** The reverse of `writeBasis`; undefined for what is none, which then has no right. */
export function readBasis(json: Json): CommandBasis | undefined {
  return basisSchema.safeParse(json).data;
}
