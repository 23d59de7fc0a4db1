import { createHash } from 'node:crypto';

/** A text and who signed it, as https://c2sp.org/signed-note has it. */
export interface SignedNote {
  /** What is signed: lines, each with its end. */
  readonly text: string;
  readonly signatures: readonly NoteSignature[];
}

/** One signature line. */
export interface NoteSignature {
  /** Name of the key. */
  readonly name: string;
  /** First bytes of a hash over name and key, 8 hex digits: which key to try. */
  readonly keyId: string;
  readonly signature: Uint8Array;
}

/** The byte that stands for Ed25519 in the id of a key. */
const ED25519 = 1;
const KEY_ID_BYTES = 4;
const SIGNATURE_LINE = /^— (\S+) ([A-Za-z0-9+/]+={0,2})$/;

/** Id of an Ed25519 key (32 bytes) under a name. */
export function keyIdOf(name: string, publicKey: Uint8Array): string {
  const hash = createHash('sha256').update(`${name}\n`).update(Uint8Array.of(ED25519)).update(publicKey).digest();
  return hash.subarray(0, KEY_ID_BYTES).toString('hex');
}

/** The note as text; `text` ends with a line break and has no empty line. */
export function formatNote({ text, signatures }: SignedNote): string {
  const lines = signatures.map(({ name, keyId, signature }) => {
    const bytes = Buffer.concat([Buffer.from(keyId, 'hex'), signature]);
    return `— ${name} ${bytes.toString('base64')}\n`;
  });
  return `${text}\n${lines.join('')}`;
}

/** The note of a text; undefined where it is none. Strict: what is read writes itself the same. */
export function readNote(note: string): SignedNote | undefined {
  const end = note.lastIndexOf('\n\n');
  if (end <= 0 || !note.endsWith('\n')) return undefined;
  const signatures: NoteSignature[] = [];
  for (const line of note.slice(end + 2, -1).split('\n')) {
    const [, name, encoded = ''] = SIGNATURE_LINE.exec(line) ?? [];
    const bytes = Buffer.from(encoded, 'base64');
    if (name === undefined || name.includes('+') || bytes.length <= KEY_ID_BYTES) return undefined;
    const keyId = bytes.subarray(0, KEY_ID_BYTES).toString('hex');
    signatures.push({ name, keyId, signature: bytes.subarray(KEY_ID_BYTES) });
  }
  const read = { text: note.slice(0, end + 1), signatures };
  return formatNote(read) === note ? read : undefined;
}

/**
 * The notes of a file that holds them one behind the other; `rest` is what follows the last whole one: nothing, or one that
 * was being written. What cannot be read in between stands in the list as it is.
 */
export function splitNotes(text: string): { readonly notes: readonly string[]; readonly rest: string } {
  const notes: string[] = [];
  let current = '';
  let hasSignature = false;
  for (const line of text.split(/(?<=\n)/)) {
    if (hasSignature && !line.startsWith('—')) {
      notes.push(current);
      [current, hasSignature] = ['', false];
    }
    current += line;
    if (line.startsWith('—') && line.endsWith('\n')) hasSignature = true;
  }
  if (hasSignature && current.endsWith('\n')) {
    notes.push(current);
    current = '';
  }
  return { notes, rest: current };
}

/** The notes of a text. What holds no whole note is given on as it is, so that it is said to be unreadable. */
export function notesOf(text: string): readonly string[] {
  const { notes, rest } = splitNotes(text);
  return rest === '' ? notes : [...notes, rest];
}
