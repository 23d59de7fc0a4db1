import type { Node } from 'web-tree-sitter';
import type { Argument } from './types.ts';

/** Part of a word: its text, and where in it unquoted characters may expand. */
interface Part {
  readonly text: string;
  /** Place of the first character that expands; absent: none does. */
  readonly opensAt?: number;
}

/** What a word of a script becomes as an argument; undefined where that depends on something outside the script. */
export function readWord(node: Node): Argument | undefined {
  const part = readPart(node);
  if (!part) return undefined;
  const { text, opensAt } = part;
  // Empty braces stay as they are: `find` and `xargs` have them as placeholders.
  if (opensAt === undefined || text === '{}') return { text, shape: 'literal' };
  // `~/x` and `dir/*` can only become paths; `*.log` may become the name of an option.
  const isPath = text.startsWith('~') || (text.slice(0, opensAt).includes('/') && !text.startsWith('-'));
  // A home is one folder.
  const isHome = text.startsWith('~') && !/[*?[{]/.test(node.text);
  return { text, shape: isPath ? 'path' : 'any', ...(isHome ? { isOne: true } : {}) };
}

function readPart(node: Node): Part | undefined {
  switch (node.type) {
    case 'command_name':
      return node.childCount === 1 && node.child(0) ? readPart(node.child(0) as Node) : undefined;
    case 'word':
    case 'number':
      return node.namedChildCount === 0 ? readBare(node.text) : undefined;
    case 'raw_string':
      return { text: node.text.slice(1, -1) };
    case 'string':
      return readQuoted(node);
    case 'concatenation':
      return readConcatenation(node);
    default:
      return node.isNamed ? undefined : readBare(node.text);
  }
}

/** Unquoted: a backslash keeps the next character as it is, and drops a line break. */
function readBare(written: string): Part | undefined {
  let text = '';
  let opensAt: number | undefined;
  for (let at = 0; at < written.length; at++) {
    const character = written[at] ?? '';
    if (character === '\\') {
      const next = written[++at];
      if (next === undefined) return undefined;
      text += next;
      continue;
    }
    if ('*?[{'.includes(character) || (character === '~' && /(^|[:=])$/.test(text))) opensAt ??= text.length;
    if ('$`"\''.includes(character)) return undefined;
    text += character;
  }
  return opensAt === undefined ? { text } : { text, opensAt };
}

/** In double quotes a backslash only stands before a few characters. */
function readQuoted(node: Node): Part | undefined {
  if (node.namedChildren.some((child) => child.type !== 'string_content')) return undefined;
  const inner = node.text.slice(1, -1);
  if (/(^|[^\\])(\\\\)*[$`]/.test(inner)) return undefined;
  return { text: inner.replace(/\\([\\"$`\n])/g, (_, kept: string) => (kept === '\n' ? '' : kept)) };
}

function readConcatenation(node: Node): Part | undefined {
  let text = '';
  let opensAt: number | undefined;
  for (const child of node.children) {
    // Characters between the parts, such as the braces of an expansion, are no nodes of their own name.
    const part = child.isNamed ? readPart(child) : readBare(child.text);
    if (!part) return undefined;
    if (part.opensAt !== undefined) opensAt ??= text.length + part.opensAt;
    text += part.text;
  }
  return opensAt === undefined ? { text } : { text, opensAt };
}
