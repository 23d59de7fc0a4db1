/** What stands in a secret's place. */
const REDACTED = Buffer.from('[redacted]');
/** Shorter than this a secret would be found everywhere, bytes. */
const SHORTEST = 6;
/** A line of a secret of several lines that is taken for a secret of its own, bytes. */
const SHORTEST_LINE = 16;

/** Takes known secrets out of one stream of bytes, however they are cut into pieces. */
export interface Redactor {
  /** What can be passed on; the beginning of what may be a secret is held back. */
  push(bytes: Buffer): Buffer;
  /** What was held back; nothing follows. */
  flush(): Buffer;
}

/**
 * The forms in which a secret is known: as it is, without its final line break, its long lines, in JSON, and in base64, also in
 * lines of 64 or 76 characters and as a part of something longer.
 */
export function formsOf(secret: Uint8Array): readonly Buffer[] {
  const text = Buffer.from(secret).toString('latin1');
  const trimmed = text.replace(/[\r\n]+$/, '');
  const lines = trimmed.split(/\r?\n/).filter((line) => line.length >= SHORTEST_LINE);
  const base64 = [text, trimmed].map((form) => Buffer.from(form, 'latin1').toString('base64').replace(/=+$/, ''));
  const json = JSON.stringify(trimmed).slice(1, -1);
  const pieces = [...base64.flatMap((form) => [...cut(form, 64), ...cut(form, 76)]), ...inside(trimmed)];
  const long = pieces.filter((form) => form.length >= SHORTEST_LINE);
  const forms = new Set([...[trimmed, json, ...lines, ...base64].filter((form) => form.length >= SHORTEST), ...long]);
  return [...forms].map((form) => Buffer.from(form, 'latin1'));
}

/** Lines of so many characters. */
function cut(text: string, width: number): readonly string[] {
  return Array.from({ length: Math.ceil(text.length / width) }, (_, at) => text.slice(at * width, (at + 1) * width));
}

/** What base64 makes of a text behind one or two other bytes, without the characters that those decide, or what follows. */
function inside(text: string): readonly string[] {
  return [1, 2].map((before) => {
    const whole = Buffer.from('x'.repeat(before) + text, 'latin1').toString('base64');
    return whole.slice(before + 1, Math.floor((before + text.length) / 3) * 4);
  });
}

/** `secrets` is read anew for each piece, so that more may become known meanwhile. */
export function createRedactor(secrets: () => readonly Buffer[]): Redactor {
  let held: Buffer = Buffer.alloc(0);
  const take = (bytes: Buffer, isLast: boolean): Buffer => {
    const known = secrets();
    if (known.length === 0 && held.length === 0) return bytes;
    let rest = held.length === 0 ? bytes : Buffer.concat([held, bytes]);
    const out: Buffer[] = [];
    for (;;) {
      const match = firstMatch(rest, known);
      const open = isLast ? rest.length : firstOpen(rest, known);
      // A longer secret may begin here: it is waited for.
      if (match === undefined || open <= match.at) {
        held = rest.subarray(open);
        out.push(rest.subarray(0, open));
        return out.length === 1 ? (out[0] ?? rest) : Buffer.concat(out);
      }
      out.push(rest.subarray(0, match.at), REDACTED);
      rest = rest.subarray(match.at + match.length);
    }
  };
  return { push: (bytes) => take(bytes, false), flush: () => take(Buffer.alloc(0), true) };
}

/** The first secret, and of several that begin there the longest. */
function firstMatch(
  bytes: Buffer,
  known: readonly Buffer[],
): { readonly at: number; readonly length: number } | undefined {
  let best: { at: number; length: number } | undefined;
  for (const secret of known) {
    const at = bytes.indexOf(secret);
    if (at < 0) continue;
    if (best === undefined || at < best.at || (at === best.at && secret.length > best.length)) {
      best = { at, length: secret.length };
    }
  }
  return best;
}

/** Where the end of `bytes` may be the beginning of a secret; its length where it is not. */
function firstOpen(bytes: Buffer, known: readonly Buffer[]): number {
  let first = bytes.length;
  for (const secret of known) {
    for (let at = Math.max(0, bytes.length - secret.length + 1); at < first; at += 1) {
      if (bytes[at] === secret[0] && bytes.subarray(at).equals(secret.subarray(0, bytes.length - at))) first = at;
    }
  }
  return first;
}
