import { Language, type Node, Parser } from 'web-tree-sitter';
import { readWord } from './shell-words.ts';
import type { Argument, Assignment, Redirect, ShellGrammar, ShellScript, SimpleCommand } from './types.ts';

/** The two WebAssembly files, read by the caller: this package reads none. */
export interface ShellGrammarBinaries {
  /** `web-tree-sitter.wasm` */
  readonly runtime: Uint8Array;
  /** `tree-sitter-bash.wasm` */
  readonly grammar: Uint8Array;
}

/** Longest script that is parsed, characters; a longer one is undecided, and so are those of one command that are longer together. */
export const MAX_SCRIPT = 8192;
/** Most of what makes parsing slow: the grammar tries readings, and their number grows with the square of these. */
const LIMITS: readonly { readonly of: RegExp; readonly most: number; readonly named: string }[] = [
  { of: /[<>]/g, most: 64, named: 'redirects' },
  { of: /[|&;$`]/g, most: 128, named: 'operators' },
  { of: /[()[\]{}*?@!]/g, most: 128, named: 'brackets and patterns' },
];
/** Most parts of one command, and most commands; more take longer to read than anybody should wait. */
const MOST_PARTS = 2048;
/** Deepest nesting that is looked into. */
const MAX_DEPTH = 48;

/** Where a shell and the grammar do not read the same text alike; none of it is worth a guess. */
const DOUBTS: readonly { readonly where: RegExp; readonly reason: string }[] = [
  // The grammar looks at each character of a word once for every one in front of it.
  { where: /\S{1025}/, reason: 'the script holds a word of more than 1024 characters' },
  // To a shell a blank is a space or a tab; the grammar ends words at each of these.
  {
    where: /[^\P{White_Space} \t\n]|[^\P{Cc}\t\n]|\p{Cs}|\ufeff/u,
    reason: 'the script holds a control character or an odd blank',
  },
  // A shell takes a line break behind a backslash away before it reads anything else; the grammar ends a word, or begins a line, there.
  {
    where: /(?<![^\s\\][ \t]*)\\\n|\S\\\n\S|\\\n(?![ \t]*[^\s#\\])/,
    reason: 'the script breaks a line elsewhere than between words',
  },
  // Lists, patterns and arithmetic, none of which is looked into; inside each other they take the grammar seconds.
  { where: /[=@!?*+]\(|\(\(|\$\[|\[\[/, reason: 'the script holds a list, a pattern of several, or arithmetic' },
  // A shell keeps a blank behind a backslash in the word; to the grammar only a space is one.
  { where: /\\\t/, reason: 'the script holds a tab behind a backslash' },
];

/** Node types that only hold commands: what they do is what the commands inside do. */
const GROUPS: ReadonlySet<string> = new Set([
  'program',
  'list',
  'pipeline',
  'subshell',
  'compound_statement',
  'negated_command',
  'if_statement',
  'elif_clause',
  'else_clause',
  'while_statement',
  'do_group',
]);

/** Loads the grammar. Rejects where the binaries are not what this program was built with. */
export async function createShellGrammar(binaries: ShellGrammarBinaries): Promise<ShellGrammar> {
  await Parser.init({ wasmBinary: binaries.runtime });
  const language = await Language.load(binaries.grammar);
  const parser = new Parser().setLanguage(language);
  return {
    parse(script) {
      if (script.length > MAX_SCRIPT) return undecided(`the script is longer than ${MAX_SCRIPT} characters`);
      const limit = LIMITS.find(({ of, most }) => (script.match(of)?.length ?? 0) > most);
      if (limit) return undecided(`the script holds more than ${limit.most} ${limit.named}`);
      const doubt = DOUBTS.find(({ where }) => where.test(script));
      if (doubt) return undecided(doubt.reason);
      parser.reset();
      // What cannot be read is not worth the time that mending it takes.
      const tree = parser.parse(script, null, { progressCallback: ({ hasError }) => hasError });
      if (!tree) return undecided('the script cannot be parsed');
      try {
        return readTree(tree.rootNode);
      } finally {
        tree.delete();
      }
    },
  };
}

/** Thrown inside this file only: what stands there cannot be decided. */
class Undecided extends Error {}

function undecided(reason: string): ShellScript {
  return { ok: false, reason };
}

function readTree(root: Node): ShellScript {
  if (root.hasError) return undecided('the script cannot be parsed');
  const commands: SimpleCommand[] = [];
  try {
    readStatement(root, commands, 0);
  } catch (error) {
    if (error instanceof Undecided) return undecided(error.message);
    throw error;
  }
  return { ok: true, commands };
}

function readStatement(node: Node, into: SimpleCommand[], depth: number): void {
  if (depth > MAX_DEPTH) throw new Undecided('the script is nested too deeply');
  if (node.childCount > MOST_PARTS) throw new Undecided(`the script holds more than ${MOST_PARTS} parts in one place`);
  if (GROUPS.has(node.type)) {
    for (const child of node.namedChildren) readStatement(child, into, depth + 1);
  } else if (node.type === 'command') {
    into.push(readCommand(node));
  } else if (node.type === 'redirected_statement') {
    readRedirected(node, into, depth);
  } else if (node.type === 'variable_assignment') {
    into.push({ arguments: [], assignments: [readAssignment(node)], redirects: [] });
  } else if (node.type !== 'comment') {
    throw new Undecided(`the script holds ${described(node)}`);
  }
}

/** Redirects behind a simple command are its own; those of a group stand as a command without arguments. */
function readRedirected(node: Node, into: SimpleCommand[], depth: number): void {
  const redirects: Redirect[] = [];
  for (const child of node.namedChildren) {
    if (child.type.endsWith('_redirect')) redirects.push(...readRedirect(child));
    else readStatement(child, into, depth + 1);
  }
  into.push({ arguments: [], assignments: [], redirects });
}

function readCommand(node: Node): SimpleCommand {
  const words: Argument[] = [];
  const assignments: Assignment[] = [];
  const redirects: Redirect[] = [];
  let end = -1;
  // Unnamed parts are looked at too: a lone `$` is one.
  for (const child of node.children) {
    // The grammar ends a word at some quotes behind which a shell goes on with it.
    if (child.startIndex === end) throw new Undecided('the script holds words without a blank between them');
    end = child.endIndex;
    if (child.type === 'variable_assignment') assignments.push(readAssignment(child));
    else if (child.type.endsWith('_redirect')) redirects.push(...readRedirect(child));
    else if (child.type !== 'comment') words.push(wordOf(child));
  }
  return { arguments: words, assignments, redirects };
}

function readAssignment(node: Node): Assignment {
  const name = node.childForFieldName('name');
  const value = node.childForFieldName('value');
  if (name?.type !== 'variable_name') throw new Undecided('the script sets part of a list');
  return { name: name.text, value: value ? wordOf(value).text : '' };
}

function wordOf(node: Node): Argument {
  const word = readWord(node);
  if (!word) throw new Undecided(`the script holds ${described(node)}`);
  return word;
}

/** A redirect with its operator; a text that is fed in reads nothing and writes nothing. */
function readRedirect(node: Node): readonly Redirect[] {
  // `{name}>file` sets a variable to a number, and evaluates a part of a list to find it.
  if (/[^\s;&|]\}$/.test(node.tree.rootNode.text.slice(0, node.startIndex))) {
    throw new Undecided('the script names a variable in front of a redirect');
  }
  if (node.type === 'herestring_redirect') {
    for (const child of node.namedChildren) if (child.type !== 'file_descriptor') wordOf(child);
    return [];
  }
  if (node.type === 'heredoc_redirect') return readHeredoc(node);
  const sign = node.children.find((child) => !child.isNamed);
  const [to, ...more] = node.childrenForFieldName('destination');
  if (sign === undefined || !to) throw new Undecided('the script redirects to nowhere');
  const operator = sign.type;
  // The grammar passes over a blank that is escaped, with which the name begins.
  if (!/^(?:[ \t]|\\\n)*$/.test(node.tree.rootNode.text.slice(sign.endIndex, to.startIndex))) {
    throw new Undecided('the script redirects to a name that begins with a blank');
  }
  // They are arguments of the command, to a shell.
  if (more.length > 0) throw new Undecided('words stand behind a redirect');
  const word = wordOf(to);
  // bash expands what stands behind `>&` once more, quoted or not.
  if (operator.includes('&') && !/^(?:\d+|-|[\w./]+)$/.test(word.text)) {
    throw new Undecided('the script redirects to what a shell may expand again');
  }
  return [{ operator, to: word }];
}

const HEREDOC_PARTS: ReadonlySet<string> = new Set([
  'heredoc_start',
  'heredoc_body',
  'heredoc_content',
  'heredoc_end',
  'file_descriptor',
]);

/** How the end of a text may be written: as a name, of which quotes keep the text as it is. */
const END_OF_TEXT = /^(?:\w+|'\w+'|"\w+"|\\\w+)$/;

function readHeredoc(node: Node): readonly Redirect[] {
  const end = node.namedChildren.find(({ type }) => type === 'heredoc_start')?.text ?? '';
  // What a shell takes out of a text whose tabs it takes away, the grammar does not see.
  if (node.children.some(({ type }) => type === '<<-') || !END_OF_TEXT.test(end)) {
    throw new Undecided('the script feeds in a text whose end may be read in two ways');
  }
  const isVerbatim = !/^\w/.test(end);
  for (const child of node.namedChildren) {
    if (!HEREDOC_PARTS.has(child.type)) throw new Undecided(`the script holds ${described(child)}`);
    if (child.type === 'heredoc_body' && !isVerbatim && /[$`\\]/.test(child.text)) {
      throw new Undecided('the script feeds in a text that a shell may change');
    }
  }
  return [];
}

const NAMES: Readonly<Record<string, string>> = {
  command_substitution: 'a command substitution',
  process_substitution: 'a process substitution',
  simple_expansion: 'a variable',
  expansion: 'a variable',
  arithmetic_expansion: 'arithmetic',
  function_definition: 'a function',
};

function described(node: Node): string {
  const inside = node.type in NAMES ? node : node.descendantsOfType(Object.keys(NAMES))[0];
  return NAMES[inside?.type ?? ''] ?? `a ${node.type.replaceAll('_', ' ')}`;
}
