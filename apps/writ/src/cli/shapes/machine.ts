import { contract } from '@writ/gateway';
import { z } from 'zod';
import { type JsonShapes, lines, one } from './types.ts';

const started = { pid: z.number(), id: z.string(), listen: z.string().optional() };

const step = z.object({
  name: z.string(),
  expected: z.string(),
  got: z.string(),
  ok: z.boolean(),
  ms: z.number(),
});

const finding = z.object({
  check: z.string().describe('what was looked at'),
  state: z.enum(['ok', 'note', 'warning', 'problem']),
  says: z.string(),
  mend: z.array(z.string()).describe('what to type, best first'),
});

/** The node of this machine, and several of them to try things out. */
export const machineShapes: JsonShapes = {
  up: one(z.object(started)),
  down: one(z.object({ pid: z.number() })),
  status: lines(contract.node_status.output),
  doctor: one(z.object({ findings: z.array(finding), problems: z.number(), warnings: z.number() })),
  completion: one(z.object({ shell: z.enum(['bash', 'zsh', 'fish']), script: z.string() })),
  complete: lines(z.object({ word: z.string(), says: z.string() })),
  'runner list': one(contract.runner_list.output),
  'runner doctor': one(contract.runner_list.output),
  'workspace list': one(contract.workspace_list.output),
  'workspace prune': one(contract.workspace_prune.output),
  'mesh up': one(z.object({ nodes: z.array(z.object({ name: z.string(), home: z.string(), pid: z.number() })) })),
  'mesh down': one(z.object({ stopped: z.array(z.string()) })),
  'mesh demo': one(z.object({ steps: z.array(step) })),
};
