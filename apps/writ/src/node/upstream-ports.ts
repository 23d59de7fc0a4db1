import type { GatewayPorts } from '@writ/gateway';
import { buildCommandEnvironment } from '@writ/runner';
import type { Foundations } from './foundations.ts';
import type { Work } from './work.ts';

/** How upstream MCP servers are started, by the spawner, and how their calls are written down. */
export function createUpstreamPorts(
  { database }: Pick<Foundations, 'database'>,
  { services, environment }: Pick<Work, 'services' | 'environment'>,
): Pick<GatewayPorts, 'upstreamProcesses' | 'upstreamAudit'> {
  return {
    upstreamProcesses: {
      async start({ argv, env, onOutput }) {
        const { input, done, stop } = await services.start({
          argv,
          env: buildCommandEnvironment(environment.all, env),
          onOutput,
        });
        return { write: (bytes) => input.write(bytes), stop, done };
      },
    },
    upstreamAudit: {
      note: ({ actor, upstream, tool, task, allowed }) =>
        database.withWriteTx((tx) =>
          tx.audit({
            ...{ kind: 'upstream', action: allowed ? 'upstream.called' : 'upstream.refused', actor, subject: upstream },
            details: { tool, ...(task === undefined ? {} : { task }) },
          }),
        ),
    },
  };
}
