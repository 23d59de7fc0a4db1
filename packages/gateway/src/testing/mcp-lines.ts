import { PassThrough } from 'node:stream';
import type { ControlClient } from '../client/index.ts';
import { readLines } from '../client/lines.ts';

/** A message that a server wrote. */
export interface Said {
  readonly id?: unknown;
  readonly error?: { readonly code: number; readonly message: string };
}

/** MCP as lines of text, for what no client would write. */
export interface SpokenLines {
  readonly piped: Promise<unknown>;
  /** A request as this revision writes it. */
  request(id: number, method: string): string;
  write(line: string): void;
  /** The next messages of the server. */
  answers(count: number): Promise<readonly Said[]>;
  ask(line: string): Promise<Said | undefined>;
  end(): Promise<void>;
}

/** Through the handshake where the revision has one. */
export async function speakInLines(control: ControlClient, revision: string): Promise<SpokenLines> {
  const stdin = new PassThrough();
  const stdout = new PassThrough();
  const piped = control.mcpPipe(stdin, stdout).finally(() => stdout.end());
  const said = readLines(stdout);
  const isCurrent = revision === '2026-07-28';
  const envelope = {
    'io.modelcontextprotocol/protocolVersion': revision,
    'io.modelcontextprotocol/clientInfo': { name: 'lines', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  const lines: SpokenLines = {
    piped,
    request: (id, method) =>
      JSON.stringify({ jsonrpc: '2.0', id, method, ...(isCurrent ? { params: { _meta: envelope } } : {}) }),
    write: (line) => void stdin.write(`${line}\n`),
    async answers(count) {
      const all: Said[] = [];
      while (all.length < count) {
        const { value, done } = await said.next();
        if (done === true) break;
        all.push(JSON.parse(value) as Said);
      }
      return all;
    },
    async ask(line) {
      lines.write(line);
      return (await lines.answers(1))[0];
    },
    async end() {
      stdin.end();
      await piped;
    },
  };
  const params = { protocolVersion: revision, capabilities: {}, clientInfo: { name: 'lines', version: '1' } };
  if (!isCurrent) await lines.ask(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params }));
  return lines;
}
