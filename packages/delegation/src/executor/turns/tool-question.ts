import { commandIn } from '@writ/authority';
import { digestJson, type Json } from '@writ/core';
import type { Question } from '@writ/task-store';
import type { AskedLine } from '../../turn-types.ts';
import type { ToolRequest } from '../../types.ts';

/** Longest text of a tool call that stands in the task's own record, UTF-16 units; an approver sees all of it. */
const LONGEST_TEXT = 4096;

/** All of a tool call, for whoever is to answer; `why` says why somebody is asked. */
export function toolLines(
  { kind, title, paths, input, changes, untold }: ToolRequest,
  why: string,
): readonly AskedLine[] {
  const command = kind === 'execute' ? commandIn(input) : undefined;
  return [
    { label: 'the agent asks leave to', text: `${kind === 'other' ? 'use a tool' : kind}: ${title}` },
    { label: 'a person is asked since', text: why },
    ...(command === undefined ? [] : [{ label: 'command', text: JSON.stringify(command.argv) }]),
    ...(command?.cwd === undefined ? [] : [{ label: 'in', text: command.cwd }]),
    ...paths.map((path) => ({ label: 'file', text: path })),
    ...(untold ? [{ label: 'not all', text: 'of what was told of it before is kept' }] : []),
    { label: 'input', text: input === null ? 'none is told' : JSON.stringify(input) },
    ...changes.flatMap(({ path, before, after }) => [
      { label: 'would write', text: path },
      ...(before === undefined ? [] : [{ label: 'instead of', text: JSON.stringify(before) }]),
      { label: 'this', text: JSON.stringify(after) },
    ]),
  ];
}

/** The same as the task's record keeps it, and its origin sees it. */
export function toolText(lines: readonly AskedLine[]): string {
  const text = lines.map(({ label, text }) => `${label}: ${text}`).join('\n');
  if (text.length <= LONGEST_TEXT) return text;
  return `${text.slice(0, LONGEST_TEXT)}\n… and ${text.length - LONGEST_TEXT} characters more, which the approver sees`;
}

/** What an approver says yes or no to: this call, whole, of this task. */
export function toolDigest({ task, id, text }: Pick<Question, 'task' | 'id' | 'text'>, tool: Json): string {
  return digestJson({ task, question: id, text, tool });
}

/** What of an approval's subject is about a tool call; undefined: it is about a question in words. */
export function toolOf(subject: Json): Json | undefined {
  return typeof subject === 'object' && subject !== null && 'tool' in subject ? subject.tool : undefined;
}

/** A tool call as JSON. */
export function toolToJson({ kind, title, paths, input, changes, untold }: ToolRequest): Json {
  const said = { kind, title, paths: [...paths], input, changes: changes.map((change) => ({ ...change })) };
  return untold ? { ...said, untold } : said;
}

/** The same again; what `toolToJson` made is the only thing that is stored. */
export function toolFromJson(tool: Json): ToolRequest {
  return tool as unknown as ToolRequest;
}
