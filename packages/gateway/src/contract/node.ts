import { z } from 'zod';
import { noInput } from './fields.ts';
import { operationSpec } from './spec.ts';

/** The node as a whole; for a person. */
export const nodeContract = {
  node_status: operationSpec({
    name: 'node_status',
    summary: 'Shows the running node: identity, addresses, policy, peers, live work.',
    input: noInput,
    output: z.object({
      id: z.string(),
      name: z.string(),
      version: z.string(),
      pid: z.number(),
      started_at_ms: z.number(),
      uptime_ms: z.number(),
      home: z.string(),
      mesh_address: z.string().optional(),
      http_address: z.string().optional().describe('events over HTTP'),
      clock_is_backwards: z.boolean().describe('nothing that is limited in time counts until the clock is accepted'),
      unseparated: z.boolean(),
      generation: z.number(),
      policy_digest: z.string(),
      policy_error: z.string().optional(),
      commands_problem: z.string().optional().describe('why no command can be looked at, so that each is refused'),
      policy_parked: z.number(),
      policy_shut: z.boolean().describe('nobody is let in until a person accepts'),
      restart_needed: z.array(z.string()).describe('accepted addresses that take a restart'),
      peers: z.array(z.object({ label: z.string(), id: z.string(), enabled: z.boolean(), link: z.string() })),
      live_leases: z.number(),
      running_asked: z.number(),
      running_here: z.number(),
      audit: z.object({
        rows: z.number(),
        written: z.number().describe('entries in the files of the log'),
        signed: z.number().describe('entries that its newest checkpoint counts'),
        problem: z.string().optional().describe('why the files do not follow the rows'),
        problem_since_ms: z.number().optional(),
        next_steps: z.array(z.string()),
      }),
      unreadable_rows: z.array(z.string()).describe('stored rows that cannot be read and are left out, as table/key'),
      sandbox: z.string().describe('what tasks run in where their profile requires isolation'),
      held_work: z
        .array(z.object({ sender: z.string(), bytes: z.number(), share_bytes: z.number() }))
        .describe(
          'work in workspaces that is kept nowhere else; a sender with more than its share gets no more of them',
        ),
      keep_tasks_ms: z.number().describe('how long tasks that are over are kept'),
      undeleted_workspaces: z
        .array(z.string())
        .describe('folders of workspaces that could not be deleted; the node tries again'),
      upstream_problems: z
        .array(z.object({ upstream: z.string(), problem: z.string() }))
        .describe('what is wrong with other MCP servers, as far as they were used'),
      isolation_none: z.array(z.string()).describe('profiles that run without a sandbox'),
    }),
    taskToken: 'deny',
    mcp: { title: 'The node as a whole', readOnly: true, destructive: false, idempotent: true, toolset: 'setup' },
  }),
  node_stop: operationSpec({
    name: 'node_stop',
    summary: 'Starts the orderly stop of the node.',
    input: noInput,
    output: z.object({ stopping: z.literal(true), pid: z.number() }),
    taskToken: 'deny',
  }),
  clock_accept: operationSpec({
    name: 'clock_accept',
    summary:
      'Accepts a wall clock that went back; ends every lease with it. Where an approver is enrolled, approval_ask it is.',
    input: noInput,
    output: z.object({ revoked: z.number() }),
    taskToken: 'deny',
  }),
} as const;
