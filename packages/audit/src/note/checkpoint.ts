import { HASH_BYTES } from '../merkle/hashing.ts';
import { formatNote, readNote, type SignedNote } from './signed-note.ts';

/** The state of a log at one size, as https://c2sp.org/tlog-checkpoint has it. */
export interface Checkpoint {
  /** The log: the id of its node, which is also the name of the key. */
  readonly origin: string;
  /** Entries that it counts. */
  readonly size: number;
  readonly root: Uint8Array;
}

/** A checkpoint with its signatures, and the note that it was read from. */
export interface SignedCheckpoint extends Checkpoint {
  readonly note: string;
  readonly signed: SignedNote;
}

/** What is signed. */
function checkpointText({ origin, size, root }: Checkpoint): string {
  return `${origin}\n${size}\n${Buffer.from(root).toString('base64')}\n`;
}

/** Signs a checkpoint with the current key of its node; returns the note. */
export function signCheckpoint(
  checkpoint: Checkpoint,
  { keyId, sign }: { readonly keyId: string; readonly sign: (data: Uint8Array) => Uint8Array },
): string {
  const text = checkpointText(checkpoint);
  return formatNote({ text, signatures: [{ name: checkpoint.origin, keyId, signature: sign(Buffer.from(text)) }] });
}

/** The checkpoint of a note; undefined where it is none. Nothing about its signatures is checked. */
export function readCheckpoint(note: string): SignedCheckpoint | undefined {
  const signed = readNote(note);
  // More lines may follow; they are signed too, and say nothing to this program.
  const [origin = '', count = '', encoded = ''] = signed?.text.split('\n') ?? [];
  const [size, root] = [Number(count), Buffer.from(encoded, 'base64')];
  const isWhole =
    origin !== '' && /^(0|[1-9]\d*)$/.test(count) && Number.isSafeInteger(size) && root.length === HASH_BYTES;
  if (signed === undefined || !isWhole || root.toString('base64') !== encoded) return undefined;
  return { origin, size, root, note, signed };
}
