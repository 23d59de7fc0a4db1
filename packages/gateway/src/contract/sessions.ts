import { z } from 'zod';
import { nameField, noInput } from './fields.ts';
import { operationSpec } from './spec.ts';

/** Sessions of this machine's own agents; for a person, and for scripts of theirs. */
export const sessionContract = {
  session_start: operationSpec({
    name: 'session_start',
    summary: 'Starts a session and gives its credential, which later calls present; shown once, kept as a hash.',
    input: z.strictObject({ agent: nameField.default('cli') }),
    output: z.object({ session: z.string(), origin: z.string(), agent: z.string(), credential: z.string() }),
    taskToken: 'deny',
  }),
  session_list: operationSpec({
    name: 'session_list',
    summary: 'Lists the sessions that are open, newest first.',
    input: noInput,
    output: z.object({
      sessions: z.array(
        z.object({ session: z.string(), origin: z.string(), agent: z.string(), started_at_ms: z.number() }),
      ),
    }),
    taskToken: 'deny',
  }),
  session_end: operationSpec({
    name: 'session_end',
    summary: 'Ends a session: its questions, its windows, and its commands that have not started.',
    input: z.strictObject({ session: nameField.optional().describe('absent: that of the credential') }),
    output: z.object({
      session: z.string(),
      ended: z.boolean().describe('false: it had ended before'),
      peers: z.number().describe('nodes that are owed the news'),
    }),
    taskToken: 'deny',
  }),
} as const;
