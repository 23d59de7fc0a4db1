/** The object directories that a repository borrows from, as git writes them in `objects/info/alternates`: one on each line. */
export function formatAlternates(folders: readonly string[]): string {
  return folders.map((folder) => `${cQuoted(folder)}\n`).join('');
}

/** What such a file names: paths as they are, or in double quotes like a string of C; comments begin with `#`. */
export function parseAlternates(text: string): readonly string[] {
  return text
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => unquoted(line) ?? line);
}

function cQuoted(path: string): string {
  return `"${path.replace(/[\\"]/g, '\\$&').replaceAll('\n', '\\n')}"`;
}

const QUOTED = /^"((?:[^"\\]|\\[abfnrtv"\\]|\\[0-3][0-7]{2})*)"/;
const LETTERS: Readonly<Record<string, string>> = { a: '\x07', b: '\b', f: '\f', n: '\n', r: '\r', t: '\t', v: '\v' };

/** Undefined where git would take the line as it stands. */
function unquoted(line: string): string | undefined {
  const inside = QUOTED.exec(line)?.[1];
  if (inside === undefined) return undefined;
  // Three digits are one byte of UTF-8.
  const bytes = Buffer.from(inside).toString('latin1');
  const plain = bytes.replace(/\\([0-3][0-7]{2}|.)/g, (_, escaped: string) =>
    escaped.length === 3 ? String.fromCharCode(Number.parseInt(escaped, 8)) : (LETTERS[escaped] ?? escaped),
  );
  return Buffer.from(plain, 'latin1').toString();
}
