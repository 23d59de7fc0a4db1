import type { Sought } from './known-secrets.ts';
import { base64View, jsonView, plainView, type Stretch, type View } from './views.ts';

/** What stands in a secret's place. */
const REDACTED = Buffer.from('[redacted]');

/** Takes known secrets out of one stream of bytes, however they are cut into pieces. */
export interface Redactor {
  /** What can be passed on; the beginning of what may be a secret is held back. */
  push(bytes: Buffer): Buffer;
  /** What was held back; nothing follows. */
  flush(): Buffer;
}

/** `sought` is asked anew for each piece, so that more may become known meanwhile. Each byte costs the same, however much it is. */
export function createRedactor(sought: () => Sought): Redactor {
  let held: Buffer = Buffer.alloc(0);
  // Bytes of the stream before `held`, up to where it was passed on or taken out, and up to where something was taken out: that
  // may be in the middle of `held`.
  let [before, done, out] = [0, 0, 0];
  let current: Sought | undefined;
  let views: readonly View[] = [];
  let found: Stretch[] = [];
  const tell = (one: Stretch): void => {
    const last = found.at(-1);
    if (last === undefined || one.start >= last.end || last.start >= one.end) found.push(one);
    else found[found.length - 1] = { start: Math.min(one.start, last.start), end: Math.max(one.end, last.end) };
  };
  const take = (bytes: Buffer, isLast: boolean): Buffer => {
    const next = sought();
    const isNew = next !== current;
    if (isNew) {
      current = next;
      views = viewsOf(next, tell);
    }
    const read = before + held.length;
    held = held.length === 0 ? bytes : Buffer.concat([held, bytes]);
    for (const view of views) {
      if (isNew) view.read(held, before);
      else view.read(bytes, read);
      if (isLast) view.end();
    }
    const until = Math.min(before + held.length, ...views.map((view) => view.open()));
    return passOn(until);
  };
  const passOn = (until: number): Buffer => {
    const passed: Buffer[] = [];
    const copy = (to: number): void => {
      if (to > done) passed.push(held.subarray(done - before, to - before));
    };
    const ready = found.filter(({ start }) => start < until).sort((a, b) => a.start - b.start);
    found = found.filter(({ start }) => start >= until);
    for (const { start, end } of ready) {
      copy(start);
      // What overlaps with one that is out already goes with it.
      if (start >= out) passed.push(REDACTED);
      out = Math.max(out, end);
      done = Math.max(done, end);
    }
    copy(until);
    done = Math.max(done, until);
    held = held.subarray(until - before);
    before = until;
    return passed.length === 1 ? (passed[0] ?? held) : Buffer.concat(passed);
  };
  return { push: (bytes) => take(bytes, false), flush: () => take(Buffer.alloc(0), true) };
}

function viewsOf({ plain, escaped, encoded }: Sought, tell: (found: Stretch) => void): readonly View[] {
  return [
    ...(plain === undefined ? [] : [plainView(plain, tell)]),
    ...(escaped === undefined ? [] : [jsonView(escaped, tell)]),
    ...(encoded === undefined ? [] : [base64View(encoded, tell)]),
  ];
}
