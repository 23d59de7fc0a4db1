import { contract } from '@writ/gateway';
import { z } from 'zod';
import { type JsonShapes, lines, one } from './types.ts';

const accepted = { kind: z.literal('accepted') };
const refused = { kind: z.literal('refused') };

/** Bytes as they come; `data` is base64. */
const content = z.object({ offset: z.number(), data: z.string() });

const artifacts = z.object({ artifacts: contract.list_artifacts.output.shape.artifacts });
const artifactFile = contract.list_artifacts.output.shape.artifacts.element.extend({ file: z.string() });

const savedResult = z.object({
  dir: z.string(),
  files: z.array(z.string()),
  artifacts: z.array(z.object({ name: z.string(), file: z.string() })),
});

/** Handing work on, following it, and what comes of it. */
export const workShapes: JsonShapes = {
  delegate: lines(
    z.union([
      contract.delegate.output.extend(accepted),
      contract.delegate.output.extend(refused),
      contract.task_watch.item,
    ]),
  ),
  'task list': one(contract.list_tasks.output),
  'task show': one(contract.task_show.output),
  'task watch': lines(contract.task_watch.item),
  'task log': lines(contract.task_log.item),
  'task cancel': one(contract.cancel.output),
  'task reply': one(z.union([contract.reply.output, contract.reply_credential.output])),
  'task ask': one(contract.ask.output),
  'task result': lines(z.union([contract.result.output, savedResult, content])),
  'task artifact': lines(z.union([artifacts, artifactFile, content])),
  'task forget': one(contract.task_forget.output),
  run: lines(
    z.union([contract.run.output.extend(accepted), contract.run.output.extend(refused), contract.execution_watch.item]),
  ),
  'execution list': one(contract.list_executions.output),
  'execution show': one(contract.execution_show.output),
  'execution watch': lines(contract.execution_watch.item),
  'execution cancel': one(contract.execution_cancel.output),
  apply: one(contract.apply_result.output),
  verify: one(contract.verify_result.output),
  events: lines(contract.events.item),
};
