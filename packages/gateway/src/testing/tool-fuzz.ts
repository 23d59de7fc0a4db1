import { WRIT_CODES } from '@writ/core';
import { HOST_TOKEN } from './fake-node.ts';
import { completed, fakeMirror } from './fake-records.ts';
import { fakeReceived, fakeResult } from './fake-results.ts';
import { type Listening, startListening } from './listening.ts';
import { callTool, mcpClient, pipeTransport } from './mcp-clients.ts';

interface Schema {
  readonly type?: string;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly minimum?: number;
  readonly maximum?: number;
}

/** What came of a number of calls. */
export interface ToolFuzzReport {
  readonly answered: number;
  /** By code. */
  readonly refused: Readonly<Record<string, number>>;
  /** What may not happen: another error than a typed one, an answer outside of its schema, a rejection that nobody handled. */
  readonly problems: readonly string[];
}

const GARBAGE: readonly unknown[] = [
  ...[null, true, false, 0, -1, 1.5, 1e308, '', ' ', '\0', '\u202e', '../../etc/passwd', '-rf', '$(id)', '\ud800'],
  ...[[], {}, [null], { __proto__: null }, 'x'.repeat(5000), [[[[]]]], { constructor: { prototype: 1 } }],
];

/** Numbers that follow from a seed alone. */
function createDice(seed: number): (below: number) => number {
  let state = seed >>> 0 || 1;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

function valueFor(schema: Schema, dice: (below: number) => number, depth = 0): unknown {
  if (depth > 4 || dice(8) === 0) return GARBAGE[dice(GARBAGE.length)];
  if (schema.enum !== undefined) return schema.enum[dice(schema.enum.length)];
  const [first] = schema.anyOf ?? [];
  if (first !== undefined) return valueFor(schema.anyOf?.[dice(schema.anyOf.length)] ?? first, dice, depth + 1);
  if (schema.type === 'boolean') return dice(2) === 0;
  if (schema.type === 'integer' || schema.type === 'number') {
    const { minimum = 0, maximum = 1000 } = schema;
    return [minimum, maximum, minimum - 1, maximum + 1, minimum + dice(Math.min(maximum - minimum, 1e9) + 1)][dice(5)];
  }
  if (schema.type === 'array')
    return Array.from({ length: dice(4) }, () => valueFor(schema.items ?? {}, dice, depth + 1));
  if (schema.type === 'object' || schema.properties !== undefined) return argumentsFor(schema, dice, depth + 1);
  return ['t-0', 't-1', 'beta', 'self', 'query', 'repo-dev', 'app', '1h', 'true', '/src/app', 'l-1'][dice(11)];
}

function argumentsFor(
  { properties = {} }: Schema,
  dice: (below: number) => number,
  depth = 0,
): Record<string, unknown> {
  const values: Record<string, unknown> = {};
  for (const [key, schema] of Object.entries(properties)) {
    if (dice(4) !== 0) values[key] = valueFor(schema, dice, depth);
  }
  if (dice(10) === 0)
    values[['_session_id', 'tsk', 'constructor', 'x'.repeat(200)][dice(4)] ?? ''] = GARBAGE[dice(GARBAGE.length)];
  return values;
}

/** Calls every tool with arguments that its schema nearly allows, `count` times in all. */
export async function fuzzTools(count: number, seed: number): Promise<ToolFuzzReport> {
  const at = await startListening();
  const client = mcpClient('2025-11-25');
  const problems: string[] = [];
  const unhandled = (reason: unknown): void => void problems.push(`nobody handled ${String(reason)}`);
  process.on('unhandledRejection', unhandled);
  try {
    fill(at);
    await client.connect(pipeTransport(at.clientWith(HOST_TOKEN), 'all'));
    const { tools } = await client.listTools();
    const dice = createDice(seed);
    const counts = { answered: 0, refused: {} as Record<string, number> };
    for (let call = 0; call < count; call += 1) {
      const tool = tools[call % tools.length];
      const input = argumentsFor((tool?.inputSchema ?? {}) as Schema, dice);
      // Its time would stand still with the clock of the test.
      if (tool?.name === 'execution') input.wait_seconds = 0;
      const problem = await tryCall(client, tool?.name ?? '', input, counts);
      if (problem !== undefined) problems.push(`call ${call} of seed ${seed}: ${problem}`);
      if (problems.length > 20) break;
    }
    return { ...counts, problems };
  } finally {
    await client.close();
    await at.stop();
    process.off('unhandledRejection', unhandled);
  }
}

function fill({ node }: Listening): void {
  node.asked.records.set('t-0', fakeMirror('t-0', { state: 'completed', outcome: completed }));
  node.asked.transcripts.set('t-0', { bytes: Buffer.from('some output\n'), end: true });
  const artifacts = [{ name: 'out.txt', ...node.results.keep('text') }];
  node.results.received.set('t-0', fakeReceived(fakeResult('t-0', { artifacts })));
}

async function tryCall(
  client: ReturnType<typeof mcpClient>,
  name: string,
  input: Record<string, unknown>,
  counts: { answered: number; readonly refused: Record<string, number> },
): Promise<string | undefined> {
  try {
    const { value, failed } = await callTool(client, name, input);
    if (!failed) {
      counts.answered += 1;
      return undefined;
    }
    const { code } = value.error as { readonly code: string };
    counts.refused[code] = (counts.refused[code] ?? 0) + 1;
    const isTyped = code !== 'INTERNAL' && (WRIT_CODES as readonly string[]).includes(code);
    return isTyped ? undefined : `${name} ${JSON.stringify(input).slice(0, 300)}: ${JSON.stringify(value)}`;
  } catch (error) {
    return `${name} ${JSON.stringify(input).slice(0, 300)}: ${String(error)}`;
  }
}
