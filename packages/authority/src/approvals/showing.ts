import { formatSize, visible } from '@writ/core';

/** Largest preview, bytes of UTF-8: what is more than a person can read is not approved. */
export const LARGEST_PREVIEW_BYTES = 256 * 1024;

/** One thing that a person sees, by its name. */
export interface PreviewLine {
  readonly label: string;
  readonly text: string;
}

/** Who asks, for people: a label that anybody can choose, and the short words of the identity beside it. */
export interface ShownAsker {
  readonly label: string;
  readonly words: string;
  /** Why it asks, in its own words; proves nothing. */
  readonly reason?: string;
}

/** Who asks, the first lines of every preview. */
export function askerLines(
  { label, words, reason }: ShownAsker,
  { agent, session, origin }: { readonly agent: string; readonly session: string; readonly origin: string },
): readonly PreviewLine[] {
  return [
    { label: 'asked by', text: `${label} (${words})` },
    { label: 'agent', text: agent },
    { label: 'session', text: `${session} of ${origin}` },
    ...(reason === undefined ? [] : [{ label: 'reason, as it says', text: reason }]),
  ];
}

/** All of it, or why it cannot be shown whole. */
export type Preview =
  | { readonly shown: true; readonly text: string }
  | { readonly shown: false; readonly message: string };

/**
 * The text that a person sees: each label and text on a line of its own, whole, with every character that could move a
 * cursor, reorder or hide text written out. Two different actions never look the same: a `\u{` that was typed is written
 * so that it differs from one that stands for a character.
 */
export function showLines(lines: readonly PreviewLine[]): Preview {
  const text = lines.map(({ label, text }) => `${show(label).replaceAll(':', '\\u{3a}')}: ${show(text)}`).join('\n');
  const bytes = Buffer.byteLength(text);
  if (bytes <= LARGEST_PREVIEW_BYTES) return { shown: true, text };
  const most = formatSize(LARGEST_PREVIEW_BYTES);
  return { shown: false, message: `${formatSize(bytes)} cannot be shown whole, more than ${most} cannot be approved` };
}

/** Whether a text is one that `showLines` could have made: nothing in it but visible characters and line ends. */
export function isShowable(text: string): boolean {
  if (Buffer.byteLength(text) > LARGEST_PREVIEW_BYTES) return false;
  return text.split('\n').every((line) => visible(line) === line);
}

/** A text on one line, unambiguously. */
export function show(text: string): string {
  return visible(text.replaceAll('\\u{', '\\u{5c}u{'));
}
