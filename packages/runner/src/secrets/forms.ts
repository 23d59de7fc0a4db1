/** Shorter than this a secret would be found everywhere, bytes; so would a part of its base64. */
const SHORTEST = 6;
/** A line of a secret of several lines that is taken for a secret of its own, bytes; so is a line of its base64. */
const SHORTEST_LINE = 16;
/** Characters of base64 after which it is broken into lines, by the tools that do. */
const LINE_WIDTHS = [64, 76];
/** What some writer of JSON writes in another way: all but letters, digits and a few more. */
const ESCAPABLE = /[^A-Za-z0-9 _.,:;!?@#$%*()[\]{}|~^`-]/;

/** The texts by which a secret is known. */
export interface Forms {
  /** As it is, without its final line break, and its long lines. */
  readonly plain: readonly Buffer[];
  /** Those that JSON may write in another way: to be looked for in what its escapes stand for. */
  readonly escaped: readonly Buffer[];
  /** In base64, to be looked for whatever breaks its lines: by itself, and as a part of something longer. */
  readonly encoded: readonly Buffer[];
}

/** Nothing of a secret of less than 6 bytes: that would be found everywhere. */
export function formsOf(secret: Uint8Array): Forms {
  const whole = Buffer.from(secret).toString('latin1');
  const trimmed = whole.replace(/[\r\n]+$/, '');
  if (trimmed.length < SHORTEST) return { plain: [], escaped: [], encoded: [] };
  const lines = trimmed.split(/\r?\n/).filter((line) => line.length >= SHORTEST_LINE);
  const plain = unique([trimmed, ...lines]);
  const isEscapable = (text: Buffer): boolean => ESCAPABLE.test(text.toString('latin1'));
  return { plain, escaped: plain.filter(isEscapable), encoded: unique([trimmed, whole].flatMap(encodedForms)) };
}

function encodedForms(text: string): readonly string[] {
  const parts = [0, 1, 2].flatMap((before) => encodedBehind(before, text));
  const [own = ''] = parts;
  const lines = LINE_WIDTHS.flatMap((width) => cut(own, width)).filter((line) => line.length >= SHORTEST_LINE);
  return [...parts.filter((form) => form.length >= SHORTEST), ...lines];
}

/** Base64 behind so many other bytes, without the characters that those decide: at the end of all, and with more behind it. */
function encodedBehind(before: number, text: string): readonly string[] {
  const whole = Buffer.from('x'.repeat(before) + text, 'latin1')
    .toString('base64')
    .replace(/=+$/, '');
  const [from, decided] = [Math.ceil((before * 8) / 6), Math.floor(((before + text.length) * 8) / 6)];
  return [whole.slice(from), whole.slice(from, decided)];
}

/** Lines of so many characters. */
function cut(text: string, width: number): readonly string[] {
  return Array.from({ length: Math.ceil(text.length / width) }, (_, at) => text.slice(at * width, (at + 1) * width));
}

function unique(texts: readonly string[]): readonly Buffer[] {
  return [...new Set(texts)].map((text) => Buffer.from(text, 'latin1'));
}
