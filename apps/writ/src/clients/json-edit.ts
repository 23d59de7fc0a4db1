import { createScanner, findNodeAtLocation, type Node, parseTree, stripComments } from 'jsonc-parser';

/** A text with one property put or taken, and every other byte as it was: no comment, blank or line moves. */
interface Edit {
  readonly at: number;
  readonly length: number;
  readonly text: string;
}

/** The text with `value` under `keys`; objects on the way that are not there are made. `text` is one object. */
export function putProperty(text: string, keys: readonly string[], value: unknown): string {
  const style = styleOf(text);
  const there = nodeAt(text, keys);
  if (there !== undefined) {
    const isOneLine = !text.slice(lineStart(text, there.offset), there.offset + there.length).includes('\n');
    const written =
      isOneLine && style.hasLines === false
        ? onOneLine(value, style)
        : onLines(value, style, indentAt(text, there.offset));
    return apply(text, [{ at: there.offset, length: there.length, text: written }]);
  }
  const depth = keys.findLastIndex((_, at) => nodeAt(text, keys.slice(0, at))?.type === 'object');
  const holder = nodeAt(text, keys.slice(0, depth));
  if (holder === undefined) return text;
  const [key = '', ...inner] = keys.slice(depth);
  const nested = inner.reduceRight<unknown>((below, name) => ({ [name]: below }), value);
  return apply(text, insertion(text, holder, { key, value: nested }, style));
}

/** The text without what stands under `keys`. */
export function takeProperty(text: string, keys: readonly string[]): string {
  const property = nodeAt(text, keys)?.parent;
  const holder = property?.parent;
  if (property === undefined || holder?.children === undefined) return text;
  const at = holder.children.indexOf(property);
  const before = holder.children[at - 1];
  const own = commaAfter(text, endOf(property));
  // Of the last one goes the comma in front, unless one stands behind it too.
  const other = own === undefined && before !== undefined ? commaAfter(text, endOf(before)) : undefined;
  const end = own === undefined ? endOf(property) : own + 1;
  const without = apply(text, [
    ...(other === undefined ? [] : [{ at: other, length: 1, text: '' }]),
    removal(text, property.offset, end, own === undefined),
  ]);
  const left = without.slice(holder.offset + 1, endOf(holder) - 1 - (text.length - without.length));
  return left.trim() === '' ? without.replace(`{${left}}`, '{}') : without;
}

/** Whether somebody has written a comment into the object under `keys`. */
export function holdsComment(text: string, keys: readonly string[]): boolean {
  const node = nodeAt(text, keys);
  const own = node === undefined ? '' : text.slice(node.offset, endOf(node));
  return stripComments(own) !== own;
}

/** With the line that it leaves empty, or with the blanks beside it. */
function removal(text: string, from: number, to: number, isLast: boolean): Edit {
  const start = lineStart(text, from);
  const [line = '', end] = /^[ \t]*(\r?\n)?/.exec(text.slice(to)) ?? [];
  if (start > 0 && end !== undefined && isFirstOfLine(text, from)) {
    return { at: start, length: to + line.length - start, text: '' };
  }
  const behind = isLast ? 0 : line.length;
  const at = isLast ? text.slice(0, from).trimEnd().length : from;
  return { at, length: to + behind - at, text: '' };
}

/** In front of the closing brace, behind whatever comments stand there. */
function insertion(
  text: string,
  holder: Node,
  { key, value }: { readonly key: string; readonly value: unknown },
  style: Style,
): readonly Edit[] {
  const close = endOf(holder) - 1;
  const last = holder.children?.at(-1);
  const at = holder.offset + text.slice(holder.offset, close).trimEnd().length;
  const inner = text.slice(holder.offset + 1, close);
  const isOneLine =
    last === undefined ? !inner.includes('\n') && !style.hasLines && text.trim() !== '{}' : !inner.includes('\n');
  const trailing = last && commaAfter(text, endOf(last));
  const comma: readonly Edit[] =
    last === undefined || trailing !== undefined ? [] : [{ at: endOf(last), length: 0, text: ',' }];
  if (isOneLine) {
    const gap = style.isSpaced && (last !== undefined || inner !== '') ? ' ' : '';
    return [...comma, { at, length: 0, text: `${gap}${property(key, onOneLine(value, style), style)}` }];
  }
  const outer = indentAt(text, close);
  const indent =
    last !== undefined && isFirstOfLine(text, last.offset) ? indentAt(text, last.offset) : outer + style.unit;
  const written = `${style.eol}${indent}${property(key, onLines(value, style, indent), style)}`;
  const ends = text.slice(at, close).includes('\n') ? '' : `${style.eol}${outer}`;
  return [...comma, { at, length: 0, text: `${written}${trailing === undefined ? '' : ','}${ends}` }];
}

interface Style {
  readonly eol: string;
  /** One step of indentation. */
  readonly unit: string;
  /** Whether a blank stands behind colons and commas. */
  readonly isSpaced: boolean;
  /** Whether the document is more than one line. */
  readonly hasLines: boolean;
}

function styleOf(text: string): Style {
  return {
    eol: text.includes('\r\n') ? '\r\n' : '\n',
    unit: /^([ \t]+)["}\]]/m.exec(text)?.[1] ?? '  ',
    isSpaced: !/"\s*:\S/.test(text),
    hasLines: text.trim().includes('\n'),
  };
}

function property(key: string, value: string, { isSpaced, hasLines }: Style): string {
  return `${JSON.stringify(key)}:${isSpaced || hasLines ? ' ' : ''}${value}`;
}

function onLines(value: unknown, { unit, eol }: Style, indent: string): string {
  return JSON.stringify(value, undefined, unit).replaceAll('\n', `${eol}${indent}`);
}

function onOneLine(value: unknown, { isSpaced }: Style): string {
  if (!isSpaced) return JSON.stringify(value);
  // Line breaks inside of texts are escaped, so that these are all between values.
  return JSON.stringify(value, undefined, 1)
    .replaceAll(/(?<=\[)\n\s*|\n\s*(?=\])/g, '')
    .replaceAll(/\n\s*/g, ' ');
}

function nodeAt(text: string, keys: readonly string[]): Node | undefined {
  const root = parseTree(text, [], { allowTrailingComma: true });
  return root && findNodeAtLocation(root, [...keys]);
}

/** Where the comma is that follows, behind comments; undefined where none does. */
function commaAfter(text: string, from: number): number | undefined {
  const scanner = createScanner(text.slice(from), true);
  scanner.scan();
  const at = from + scanner.getTokenOffset();
  return text[at] === ',' ? at : undefined;
}

function apply(text: string, edits: readonly Edit[]): string {
  // From the end on, and of two at one place the later one first, so that no place moves.
  const ordered = [...edits].reverse().sort((a, b) => b.at - a.at);
  return ordered.reduce((now, { at, length, text: put }) => now.slice(0, at) + put + now.slice(at + length), text);
}

const endOf = (node: Node): number => node.offset + node.length;

const lineStart = (text: string, at: number): number => text.lastIndexOf('\n', at - 1) + 1;

const indentAt = (text: string, at: number): string => /^[ \t]*/.exec(text.slice(lineStart(text, at)))?.[0] ?? '';

const isFirstOfLine = (text: string, at: number): boolean => text.slice(lineStart(text, at), at).trim() === '';
