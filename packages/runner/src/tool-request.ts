import type { Json } from '@writ/core';

/** What an agent says a tool call does, in the words of the Agent Client Protocol. */
export type ToolKind = 'read' | 'edit' | 'delete' | 'move' | 'search' | 'execute' | 'fetch' | 'other';

/** A tool call that an agent asks leave for. Everything in it is the agent's own claim. */
export interface ToolRequest {
  readonly kind: ToolKind;
  /** What the agent calls it; one line, made visible. */
  readonly title: string;
  /** Files that it says the call is about. */
  readonly paths: readonly string[];
  /** What it would be called with; null where the agent does not say. */
  readonly input: Json;
  /** What would stand in files afterwards, where the agent says so. */
  readonly changes: readonly ToolChange[];
  /** It was told before what more the call is about, and that is not kept: what is said here is not all. */
  readonly untold?: true;
}

/** A file as an agent would write it. */
export interface ToolChange {
  readonly path: string;
  /** What would be replaced; absent: the file is new. */
  readonly before?: string;
  readonly after: string;
}

/** The answer: by whom, where a person gave it, or a reason that the agent may read. */
export type ToolAnswer =
  | { readonly allowed: true; readonly by?: string }
  | { readonly allowed: false; readonly reason: string };
