import type { Server, ServiceDefinition, UntypedServiceImplementation } from '@grpc/grpc-js';
import type { WireServices } from '@writ/wire';
import { createCheckPolicy } from '../handlers/check-policy.ts';
import { createDescribe } from '../handlers/describe.ts';
import type { HandlerDeps } from '../handlers/handler-deps.ts';
import { createHealthHandlers } from '../handlers/health.ts';
import { createRedeem } from '../handlers/redeem.ts';
import { createSubmit } from '../handlers/submit.ts';
import { createTaskHandlers } from '../handlers/tasks.ts';
import { type HandlerAdapter, readOrMalformed } from './adapt-handler.ts';

/** Adds both services to a server. `closing` turns the health service to "not serving". */
export function registerServices(
  server: Server,
  services: WireServices,
  adapt: HandlerAdapter,
  deps: HandlerDeps,
  closing: AbortSignal,
): void {
  const tasks = createTaskHandlers(deps);
  const health = createHealthHandlers(closing);
  const mesh: Record<keyof WireServices['mesh'], UntypedServiceImplementation[string]> = {
    Describe: adapt.unary(createDescribe(deps)),
    Submit: adapt.unary(createSubmit(deps)),
    Watch: adapt.stream(tasks.watch),
    GetTask: adapt.unary(tasks.getTask),
    ListTasks: adapt.unary(tasks.listTasks),
    ReadTranscript: adapt.unary(tasks.readTranscript),
    Cancel: adapt.unary(tasks.cancel),
    CheckPolicy: adapt.unary(createCheckPolicy(deps)),
    Redeem: adapt.exchange(createRedeem(deps)),
  };
  const standard: Record<keyof WireServices['health'], UntypedServiceImplementation[string]> = {
    Check: adapt.unary(health.check),
    Watch: adapt.stream(health.watch),
    List: adapt.unary(health.list),
  };
  server.addService(withSafeReading({ ...services.mesh }), mesh);
  server.addService(withSafeReading({ ...services.health }), standard);
}

/** The same methods, with deserialisers that cannot throw into grpc-js. */
function withSafeReading(methods: ServiceDefinition): ServiceDefinition {
  return Object.fromEntries(
    Object.entries(methods).map(([name, method]) => [
      name,
      { ...method, requestDeserialize: readOrMalformed(method.requestDeserialize) },
    ]),
  );
}
