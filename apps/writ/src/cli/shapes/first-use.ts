import { z } from 'zod';
import { CLIENT_NAMES } from '../../clients/types.ts';
import { type JsonShapes, one } from './types.ts';

const client = z.enum(CLIENT_NAMES);

const firstDelegation = z.object({
  argv: z.array(z.string()),
  task: z.string().optional(),
  state: z.string(),
  message: z.string(),
  output: z.string(),
  verified: z.boolean().describe('its signed result was read back and is whole'),
});

const registered = z.object({
  client,
  changed: z.boolean(),
  by: z.enum(['command', 'file']),
  file: z.string(),
  backup: z.string().optional(),
  confirmed: z.boolean().describe('false where its settings do not show what its own command said was done'),
});

const registration = z.object({
  client,
  title: z.string(),
  file: z.string(),
  isHere: z.boolean(),
  state: z.enum(['registered', 'other', 'foreign', 'absent', 'unreadable']),
  problem: z.string().optional(),
});

const steps = z.object({
  client,
  command: z.array(z.string()).optional(),
  file: z.string(),
  settings: z.string(),
  documented: z.string(),
});

const service = { kind: z.enum(['systemd', 'launchd']), file: z.string() };
const changed = z.object({
  ...service,
  changed: z.boolean(),
  failed: z.array(z.object({ command: z.string(), said: z.string() })),
});

/** What happens before a node has done anything for anybody. */
export const firstUseShapes: JsonShapes = {
  init: one(
    z.object({
      name: z.string(),
      id: z.string(),
      sandbox: z.boolean(),
      running: z.boolean(),
      pid: z.number().optional(),
      listen: z.string().optional(),
      workspaces: z.array(z.object({ name: z.string(), path: z.string() })),
      clients: z.array(z.object({ client, problem: z.string().optional() })),
      first_delegation: firstDelegation.optional(),
    }),
  ),
  'mcp install': one(z.union([registered, steps]).describe('the second with --print')),
  'mcp uninstall': one(registered),
  'mcp clients': one(z.object({ clients: z.array(registration) })),
  'service install': one(
    z
      .union([changed.extend({ notes: z.array(z.string()) }), z.object({ ...service, text: z.string() })])
      .describe('the second with --print'),
  ),
  'service uninstall': one(changed),
  'service status': one(z.object({ ...service, installed: z.enum(['yes', 'no', 'other']), active: z.boolean() })),
};
