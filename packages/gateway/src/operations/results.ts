import { isWritError, quote, WritError } from '@writ/core';
import type { StreamItem } from '../client/types.ts';
import { resultContract } from '../contract/results.ts';
import type { GatewayPorts } from '../gateway-ports.ts';
import { type AnyOperation, implement, implementStream } from '../implement.ts';
import { unfinishedBytes } from '../transcript-text.ts';
import type { CallContext } from '../types.ts';
import { viewApplied } from '../views/applied-view.ts';
import { viewResult } from '../views/result-view.ts';
import { contentNames, viewVerified } from '../views/verified-view.ts';
import { requireAbsolute } from './absolute-path.ts';
import { actor } from './actor.ts';
import { shellOf } from './callers-shell.ts';
import { digestOf, requireAsked, requireResult } from './known-result.ts';
import { nodeLabels } from './peer-lookup.ts';
import { findTask } from './task-lookup.ts';

/** Bytes that one line of `task_content` carries at most. */
const CONTENT_CHUNK_BYTES = 262_144;

/** What came of work, and what to do with it. */
export function resultOperations(ports: GatewayPorts): readonly AnyOperation[] {
  const { origin } = ports;
  const known = (task: string, { caller }: CallContext) => requireResult(ports, findTask(ports, task, caller));
  return [
    implement(resultContract.result, ({ task, limit }, context) =>
      viewResult(known(task, context), nodeLabels(ports), limit),
    ),
    implement(resultContract.list_artifacts, ({ task, offset, limit }, context) => {
      const { artifacts } = known(task, context).result;
      const next = offset + limit;
      return {
        artifacts: artifacts.slice(offset, next),
        total: artifacts.length,
        ...(next < artifacts.length ? { next_offset: next } : {}),
      };
    }),
    implement(resultContract.artifact, (input, context) => readArtifact(ports, input, context)),
    implement(resultContract.verify_result, async ({ task }, { caller }) => {
      const found = findTask(ports, task, caller);
      const { id } = requireAsked(found);
      requireResult(ports, found);
      const tree = await origin.verify(id);
      return viewVerified(tree, nodeLabels(ports), { content: contentNames(tree.result), notChecked: [] });
    }),
    implement(resultContract.apply_result, async ({ task, repository, check, checkout, shell }, { caller }) => {
      requireAbsolute('repository', repository);
      const found = findTask(ports, task, caller);
      const { id, spec } = requireAsked(found);
      requireResult(ports, found);
      const shipped = spec.shipped?.bundle !== undefined;
      const applied = await origin
        .apply(id, { repository, check, checkout, ...shellOf(shell, caller) })
        .catch((error: unknown) => {
          throw noRepository(error, repository) ?? error;
        });
      return viewApplied(applied, { task: id, repository, shipped });
    }),
    implementStream(resultContract.task_content, (input, context) => readContent(ports, input, context)),
    implement(resultContract.task_forget, async ({ task }, { caller }) => {
      const { id } = requireAsked(findTask(ports, task, caller));
      const { state, outcome } = await origin.forget(id, actor(caller));
      return { task: id, state, message: outcome?.message ?? '' };
    }),
  ];
}

/** The mistake behind git's own words, where it is that one. */
function noRepository(error: unknown, repository: string): WritError | undefined {
  if (!isWritError(error, 'GIT_FAILED') || !error.message.includes('not a git repository')) return undefined;
  return new WritError('BAD_REQUEST', `repository: ${quote(repository)} is no git repository`, {
    nextSteps: ['name your repository: writ apply TASK --repo PATH'],
    cause: error,
  });
}

async function readArtifact(
  ports: GatewayPorts,
  input: {
    readonly task: string;
    readonly name?: string | undefined;
    readonly sha256?: string | undefined;
    readonly offset: number;
    readonly limit: number;
  },
  { caller }: CallContext,
) {
  const found = findTask(ports, input.task, caller);
  const { sha256, bytes } = digestOf(requireResult(ports, found), input);
  const reader = found.asked === undefined ? ports.executor : ports.origin;
  const data = await reader.readContent(input.task, sha256, input.offset, input.limit);
  const end = bytes === undefined ? data.length < input.limit : input.offset + data.length >= bytes;
  const page = encodePage(data, end);
  return { sha256, ...page.encoded, next_offset: input.offset + page.usedBytes, end };
}

/** Text where the bytes are valid UTF-8, else base64; a character that the end of the page cuts is left for the next. */
function encodePage(data: Uint8Array, end: boolean) {
  const usedBytes = data.length - (end ? 0 : unfinishedBytes(data));
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(data.subarray(0, usedBytes));
    return { encoded: { encoding: 'utf8' as const, data: text }, usedBytes };
  } catch {
    return {
      encoded: { encoding: 'base64' as const, data: Buffer.from(data).toString('base64') },
      usedBytes: data.length,
    };
  }
}

async function* readContent(
  ports: GatewayPorts,
  { task, sha256 }: { readonly task: string; readonly sha256: string },
  { caller, signal }: CallContext,
): AsyncGenerator<StreamItem<'task_content'>> {
  const found = findTask(ports, task, caller);
  requireResult(ports, found);
  const reader = found.asked === undefined ? ports.executor : ports.origin;
  let offset = 0;
  while (!signal.aborted) {
    const data = await reader.readContent(task, sha256, offset, CONTENT_CHUNK_BYTES);
    if (data.length === 0) return;
    yield { offset, data: Buffer.from(data).toString('base64') };
    offset += data.length;
  }
}
