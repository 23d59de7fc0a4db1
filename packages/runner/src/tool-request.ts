import type { Json } from '@writ/core';

/** What an agent says a tool call does, in the words of the Agent Client Protocol. */
export type ToolKind = 'read' | 'edit' | 'delete' | 'move' | 'search' | 'execute' | 'fetch' | 'other';

/** A tool call that an agent asks leave for. Everything in it is the agent's own claim. */
export interface ToolRequest {
  readonly kind: ToolKind;
  /** What the agent calls it; one line, made visible. */
  readonly title: string;
  /** What it would be called with; null where the agent does not say. */
  readonly input: Json;
}

/** The answer, with a reason that the agent may read. */
export type ToolAnswer = { readonly allowed: true } | { readonly allowed: false; readonly reason: string };
