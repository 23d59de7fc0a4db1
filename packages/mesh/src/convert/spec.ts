import { quote } from '@writ/core';
import type { TaskSpec } from '@writ/delegation';
import type * as wire from '@writ/wire';
import { given, readCount, readDigest, readDuration, readName, readObjectId, refuseField } from './fields.ts';
import { MAX_INPUT_BYTES } from './input.ts';

/** Most arguments of a task, and their UTF-8 bytes together. */
const MAX_ARGUMENTS = 4096;
const MAX_ARGV_BYTES = 256 * 1024;
const MAX_PROMPT_BYTES = 512 * 1024;
const LONGEST_REF = 255;
/** Most patterns of artifacts, and the longest one, characters. */
const MAX_PATTERNS = 128;
const LONGEST_PATTERN = 1024;
/** A month, milliseconds: longer than any profile allows. */
const MAX_TIMEOUT_MS = 31 * 86_400_000;

type ShippedInput = NonNullable<TaskSpec['shipped']>;

/** A task's specification for the wire. Throws BAD_REQUEST where a peer would refuse it. */
export function specToWire(spec: TaskSpec): wire.Init<wire.TaskSpec> {
  const message = {
    ...(spec.input.kind === 'argv' ? { argv: { arguments: spec.input.argv } } : { prompt: spec.input.prompt }),
    ...given('profile', spec.profile),
    ...given('runner', spec.runner),
    ...given('workspace', spec.workspace),
    ...given('ref', spec.ref),
    ...given('timeoutMs', spec.timeoutMs),
    ...given('artifacts', spec.artifacts),
    ...given('shipped', shippedToWire(spec.shipped)),
  };
  checkInput(spec.input);
  checkArtifacts(spec.artifacts);
  checkShipped(spec);
  return message;
}

/** A specification as a peer sent it, checked. Throws BAD_REQUEST. */
export function specFromWire(message: wire.TaskSpec | null): TaskSpec {
  if (message === null) return refuseField('spec', 'is missing');
  const input = readInput(message);
  checkInput(input);
  const spec = {
    input,
    ...given('profile', readName('profile', message.profile)),
    ...given('runner', readName('runner', message.runner)),
    ...given('workspace', readName('workspace', message.workspace)),
    ...given('ref', readRef(message.ref)),
    ...given('timeoutMs', readDuration('timeout_ms', message.timeoutMs, MAX_TIMEOUT_MS)),
    ...given('artifacts', message.artifacts.length === 0 ? undefined : message.artifacts),
    ...given('shipped', shippedFromWire(message.shipped)),
  };
  checkArtifacts(spec.artifacts);
  checkShipped(spec);
  return spec;
}

function shippedToWire(shipped: ShippedInput | undefined): wire.Init<wire.ShippedInput> | undefined {
  return shipped === undefined ? undefined : { commit: shipped.commit, ...shipped.bundle };
}

function shippedFromWire(message: wire.ShippedInput | null): ShippedInput | undefined {
  if (message === null) return undefined;
  const { commit, sha256, bytes } = message;
  if (sha256 !== '') return { commit, bundle: { sha256, bytes } };
  if (bytes !== 0) return refuseField('shipped.sha256', 'is missing');
  return { commit };
}

function checkArtifacts(patterns: readonly string[] | undefined): void {
  if (patterns === undefined) return;
  // Absent is how none is said: the digest of the request is over one spelling of it.
  if (patterns.length === 0) refuseField('artifacts', 'is empty');
  if (patterns.length > MAX_PATTERNS) refuseField('artifacts', `has more than ${MAX_PATTERNS} patterns`);
  for (const pattern of patterns) {
    if (pattern === '') refuseField('artifacts', 'has an empty pattern');
    if (pattern.length > LONGEST_PATTERN) refuseField('artifacts', `has one longer than ${LONGEST_PATTERN} characters`);
    if (/[\p{Cc}\p{Cs}]/u.test(pattern)) refuseField('artifacts', `${quote(pattern)} is no pattern`);
  }
}

function checkShipped({ shipped, workspace, ref }: TaskSpec): void {
  if (shipped === undefined) return;
  if (workspace === undefined) refuseField('shipped', 'needs a workspace');
  if (ref !== undefined) refuseField('shipped', 'stands in place of a ref');
  readObjectId('shipped.commit', shipped.commit);
  if (shipped.bundle === undefined) return;
  readDigest('shipped.sha256', shipped.bundle.sha256);
  if (readCount('shipped.bytes', shipped.bundle.bytes, MAX_INPUT_BYTES) === 0)
    refuseField('shipped.bytes', 'is missing');
}

function readInput(message: wire.TaskSpec): TaskSpec['input'] {
  if (message.argv !== undefined) return { kind: 'argv', argv: message.argv.arguments };
  if (message.prompt !== undefined) return { kind: 'prompt', prompt: message.prompt };
  return refuseField('input', 'is missing');
}

function checkInput(input: TaskSpec['input']): void {
  if (input.kind === 'prompt') {
    if (input.prompt === '') refuseField('prompt', 'is empty');
    if (Buffer.byteLength(input.prompt) > MAX_PROMPT_BYTES) refuseField('prompt', `exceeds ${MAX_PROMPT_BYTES} bytes`);
    return;
  }
  const { argv } = input;
  if (argv.length === 0 || argv[0] === '') refuseField('argv', 'names no command');
  if (argv.length > MAX_ARGUMENTS) refuseField('argv', `has more than ${MAX_ARGUMENTS} arguments`);
  const bytes = argv.reduce((sum, argument) => sum + Buffer.byteLength(argument), 0);
  if (bytes > MAX_ARGV_BYTES) refuseField('argv', `exceeds ${MAX_ARGV_BYTES} bytes`);
  if (argv.some((argument) => argument.includes('\0'))) refuseField('argv', 'has a NUL in an argument');
}

/** Whether it names anything is the workspace's matter; that it could be an option or hold a newline is ours. */
function readRef(ref: string): string | undefined {
  if (ref === '') return undefined;
  if (ref.length > LONGEST_REF) return refuseField('ref', `is longer than ${LONGEST_REF} characters`);
  if (ref.startsWith('-') || /[\p{Cc}\s]/u.test(ref)) return refuseField('ref', 'is no branch, tag or commit');
  return ref;
}
