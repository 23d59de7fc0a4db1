import { fromJSON } from '@grpc/proto-loader';
import { descriptor } from './gen/descriptor.ts';
import type { HealthService, MeshService } from './gen/services.ts';

/** The services of a mesh listener, ready for a grpc-js server or client. */
export interface WireServices {
  readonly mesh: MeshService;
  readonly health: HealthService;
}

/**
 * How messages look in JavaScript, for both services and both directions. 64-bit integers become numbers: one beyond
 * 2^53 arrives as a number that is no safe integer, and whoever reads it must refuse that. Enums become their names,
 * an unknown one stays a number; a oneof names the member that is set.
 */
const OPTIONS = { keepCase: false, longs: Number, enums: String, defaults: true, oneofs: true } as const;

/** Builds the service definitions from the embedded descriptor; reads no file. */
export function loadServices(): WireServices {
  const definitions = fromJSON(descriptor as Parameters<typeof fromJSON>[0], OPTIONS);
  return {
    mesh: definitions['writ.mesh.v1.MeshService'] as unknown as MeshService,
    health: definitions['grpc.health.v1.Health'] as unknown as HealthService,
  };
}
