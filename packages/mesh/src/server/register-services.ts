import type { Server, ServiceDefinition } from '@grpc/grpc-js';
import type { WireServices } from '@writ/wire';
import { inputHeadFromWire } from '../convert/input.ts';
import { receiptsFromWire } from '../convert/result.ts';
import { createCheckPolicy } from '../handlers/check-policy.ts';
import { createDescribe } from '../handlers/describe.ts';
import { createEndSession } from '../handlers/end-session.ts';
import { cancelExecution, createExecute, watchExecution } from '../handlers/executions.ts';
import type { HandlerDeps } from '../handlers/handler-deps.ts';
import { createHealthHandlers } from '../handlers/health.ts';
import { createInputHandlers } from '../handlers/inputs.ts';
import { createRedeem } from '../handlers/redeem.ts';
import { createRequestLease } from '../handlers/request-lease.ts';
import { createResultHandlers } from '../handlers/results.ts';
import { createSubmit } from '../handlers/submit.ts';
import { createTaskHandlers } from '../handlers/tasks.ts';
import { METHOD_TABLE } from '../method-table.ts';
import { type HandlerAdapter, readOrMalformed } from './adapt-handler.ts';
import { createOwnExecutionAdapter } from './own-execution.ts';
import { checkedHandlers, createOwnTaskAdapter, type ServedMethod, served } from './own-task.ts';
import { createOwnWorkspaceAdapter } from './own-workspace.ts';

/** Adds both services to a server; throws where a handler is not what its entry of the method table says. `closing` turns the health service to "not serving". */
export function registerServices(
  server: Server,
  services: WireServices,
  adapt: HandlerAdapter,
  deps: HandlerDeps,
  closing: AbortSignal,
): void {
  const tasks = createTaskHandlers(deps.executor);
  const results = createResultHandlers(deps.executor);
  const inputs = createInputHandlers(deps.executor);
  const ownTask = createOwnTaskAdapter(adapt, deps.executor);
  const ownWorkspace = createOwnWorkspaceAdapter(adapt, deps);
  const ownExecution = createOwnExecutionAdapter(adapt, deps.commands);
  const health = createHealthHandlers(closing);
  const mesh: Record<keyof WireServices['mesh'], ServedMethod> = {
    Describe: served('peer', adapt.unary(createDescribe(deps))),
    Submit: served('policy', adapt.unary(createSubmit(deps))),
    Watch: ownTask.stream(tasks.watch),
    GetTask: ownTask.unary(tasks.getTask),
    ListTasks: served('own-list', adapt.unary(tasks.listTasks)),
    ReadTranscript: ownTask.unary(tasks.readTranscript),
    GetResult: ownTask.unary(results.getResult),
    FetchArtifact: ownTask.stream(results.fetchArtifact),
    AckResult: ownTask.list(receiptsFromWire, results.ackResult),
    RenewWrit: ownTask.unary(tasks.renewWrit),
    Reply: ownTask.unary(tasks.reply),
    Cancel: ownTask.unary(tasks.cancel),
    CheckPolicy: served('policy', adapt.unary(createCheckPolicy(deps))),
    Execute: served('policy', adapt.unary(createExecute(deps))),
    WatchExecution: ownExecution.stream(watchExecution),
    CancelExecution: ownExecution.unary(cancelExecution),
    RequestLease: served('policy', adapt.unary(createRequestLease(deps))),
    EndSession: served('signed', adapt.unary(createEndSession(deps))),
    DescribeWorkspace: ownWorkspace.unary(inputs.describeWorkspace),
    UploadInput: ownWorkspace.intake(inputHeadFromWire, inputs.uploadInput),
    Redeem: served('invite', adapt.exchange(createRedeem(deps))),
  };
  const standard: Record<keyof WireServices['health'], ServedMethod> = {
    Check: served('peer', adapt.unary(health.check)),
    Watch: served('peer', adapt.stream(health.watch)),
    List: served('peer', adapt.unary(health.list)),
  };
  server.addService(withSafeReading({ ...services.mesh }), checkedHandlers(services.mesh, mesh, METHOD_TABLE));
  server.addService(withSafeReading({ ...services.health }), checkedHandlers(services.health, standard, METHOD_TABLE));
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
