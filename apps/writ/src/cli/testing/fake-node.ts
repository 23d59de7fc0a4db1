import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { PassThrough } from 'node:stream';
import { json } from 'node:stream/consumers';
import { createSystemClock, errorToJson, isWritError, toWritError, WritError } from '@writ/core';
import { readEnvironment } from '../../env.ts';
import { type Home, resolveHome } from '../../home.ts';
import { noTerminal } from '../../terminal/terminal.ts';
import { defineCommands } from '../commands/index.ts';
import { exitCodeOf } from '../exit-codes.ts';
import { createOutput } from '../output.ts';
import { createProgram, runProgram } from '../program.ts';

/** Answers of a node by operation: a value, or the lines of a stream. What they throw is an error of the node's. */
export type Answers = Record<string, (input: Record<string, unknown>) => unknown>;

/** A home whose control socket answers as a test says. */
export interface FakeNode {
  readonly home: Home;
  answers: Answers;
  /** Calls that came, by name. */
  readonly calls: { readonly name: string; readonly input: Record<string, unknown> }[];
  /** Runs a command of `writ` in this process. */
  writ(...argv: string[]): Promise<{ readonly code: number; readonly out: string; readonly err: string }>;
  stop(): Promise<void>;
}

export async function startFakeNode(): Promise<FakeNode> {
  const root = mkdtempSync(join(tmpdir(), 'writ-cli-'));
  const environment = { ...readEnvironment(), taskAccess: undefined };
  const home = resolveHome(environment, root);
  mkdirSync(dirname(home.socketFile), { recursive: true, mode: 0o700 });
  writeFileSync(home.tokenFile, 'token\n', { mode: 0o600 });
  const node: FakeNode = {
    home,
    answers: {},
    calls: [],
    writ: (...argv) => runWrit(root, argv),
    async stop() {
      await new Promise((resolve) => server.close(resolve));
      rmSync(root, { recursive: true });
    },
  };
  const server = createServer(async (request, response) => {
    const name = request.url?.replace('/v1/', '') ?? '';
    const input = (await json(request)) as Record<string, unknown>;
    node.calls.push({ name, input });
    try {
      const answer = await node.answers[name]?.(input);
      if (answer === undefined) throw new WritError('NOT_FOUND', `no answer to ${name}`);
      const lines = Array.isArray(answer) ? answer : [answer];
      response.end(lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
    } catch (error) {
      if (!isWritError(error)) throw error;
      response.writeHead(500).end(JSON.stringify({ error: errorToJson(error) }));
    }
  });
  await new Promise<void>((resolve) => server.listen(home.socketFile, resolve));
  return node;
}

/** Runs a command of `writ` on a home, in this process; `heard` is told what it has written so far. */
export async function runWrit(
  root: string,
  command: readonly string[],
  { signal, heard }: { readonly signal: AbortSignal; readonly heard: (out: string) => void } = {
    signal: new AbortController().signal,
    heard: () => undefined,
  },
) {
  const environment = { ...readEnvironment(), writHome: root, taskAccess: undefined };
  const argv = [...command];
  const [out, err] = [collected(), collected()];
  out.stream.on('data', () => heard(out.text()));
  const streams = { in: out.stream, out: out.stream, err: err.stream } as never;
  const base = {
    environment,
    clock: createSystemClock(),
    streams,
    signal,
    stopSignal: () => signal,
    terminal: noTerminal,
  };
  const isJson = argv.includes('--json');
  const code = await runProgram(createProgram('0'), defineCommands, { ...base, json: isJson }, argv).catch((error) => {
    createOutput(streams, { json: isJson, noColor: true }).failure(error);
    return exitCodeOf(toWritError(error).code);
  });
  return { code, out: out.text(), err: err.text() };
}

function collected(): { readonly stream: PassThrough; text(): string } {
  const stream = new PassThrough();
  const chunks: Buffer[] = [];
  stream.on('data', (chunk: Buffer) => chunks.push(chunk));
  return { stream, text: () => Buffer.concat(chunks).toString('utf8') };
}
