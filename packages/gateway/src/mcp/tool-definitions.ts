import type { Tool } from '@modelcontextprotocol/server';
import { z } from 'zod';
import type { Registry, ToolOperation } from '../registry.ts';
import type { Caller, Toolset } from '../types.ts';

type ObjectSchema = Tool['inputSchema'];

/** What is advertised to an agent: one tool for each operation that is open to it. */
export type ToolDefinitions = (caller: Caller, toolsets: readonly Toolset[]) => readonly Tool[];

/** From the registry alone; each is written once, when it is asked for: to write one takes longer than to send it. */
export function createToolDefinitions(registry: Pick<Registry, 'tools'>): ToolDefinitions {
  const written = new Map<ToolOperation, Tool>();
  const definitionOf = (operation: ToolOperation): Tool => {
    const tool = written.get(operation) ?? toolDefinition(operation);
    written.set(operation, tool);
    return tool;
  };
  return (caller, toolsets) => registry.tools(caller, toolsets).map(definitionOf);
}

function toolDefinition({ name, summary, input, output, mcp }: ToolOperation): Tool {
  return {
    name,
    title: mcp.title,
    description: summary,
    inputSchema: withoutFields(jsonSchema(input, 'input'), mcp.without),
    outputSchema: jsonSchema(output, 'output'),
    annotations: {
      readOnlyHint: mcp.readOnly,
      destructiveHint: mcp.destructive,
      idempotentHint: mcp.idempotent,
      openWorldHint: mcp.openWorld === true,
    },
  };
}

function withoutFields({ properties = {}, ...schema }: ObjectSchema, hidden: readonly string[] = []): ObjectSchema {
  const shown = Object.entries(properties).filter(([name]) => !hidden.includes(name));
  return { ...schema, properties: Object.fromEntries(shown) };
}

/** Longest list of values that an answer is told to have one of. */
const SHORT_ENUM = 2;

/** An answer may gain a field or a state; a client that kept the schema has to accept it. */
function open(node: { additionalProperties?: unknown; enum?: unknown }): void {
  delete node.additionalProperties;
  if (Array.isArray(node.enum) && node.enum.length > SHORT_ENUM) delete node.enum;
}

/** A schema as agents read it: without what costs words and says nothing. */
function jsonSchema(schema: z.ZodType, io: 'input' | 'output'): ObjectSchema {
  const { $schema: _dialect, ...json } = z.toJSONSchema(schema, {
    io,
    override: ({ jsonSchema: node }) => {
      if (node.maximum === Number.MAX_SAFE_INTEGER) delete node.maximum;
      if (node.minimum === Number.MIN_SAFE_INTEGER) delete node.minimum;
      if (io === 'output') open(node);
    },
  });
  return { ...json, type: 'object' } as ObjectSchema;
}
