import { quote, WritError } from '@writ/core';
import type {
  HealthCheckRequest,
  HealthCheckResponse,
  HealthListRequest,
  HealthListResponse,
  ServingStatus,
} from '@writ/wire';
import type { StreamHandler, UnaryHandler } from '../server/adapt-handler.ts';

/** The standard health service, for the whole node (the empty name) and for the mesh service. */
export interface HealthHandlers {
  readonly check: UnaryHandler<HealthCheckRequest, HealthCheckResponse>;
  readonly watch: StreamHandler<HealthCheckRequest, HealthCheckResponse>;
  readonly list: UnaryHandler<HealthListRequest, HealthListResponse>;
}

const NAMES: readonly string[] = ['', 'writ.mesh.v1.MeshService'];

/** Serving until `closing` is aborted, then not. */
export function createHealthHandlers(closing: AbortSignal): HealthHandlers {
  const now = (name: string): ServingStatus | undefined => {
    if (!NAMES.includes(name)) return undefined;
    return closing.aborted ? 'NOT_SERVING' : 'SERVING';
  };
  return {
    async check(_context, { service }) {
      const status = now(service);
      if (status === undefined) throw new WritError('NOT_FOUND', `no service ${quote(service)} here`);
      return { status };
    },
    async *watch(context, { service }) {
      yield { status: now(service) ?? 'SERVICE_UNKNOWN' };
      await aborted(AbortSignal.any([closing, context.signal]));
      yield { status: now(service) ?? 'SERVICE_UNKNOWN' };
    },
    list: async () => ({
      statuses: Object.fromEntries(NAMES.map((name) => [name, { status: now(name) ?? 'UNKNOWN' }])),
    }),
  };
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
