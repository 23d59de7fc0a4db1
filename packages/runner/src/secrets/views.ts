import type { Automaton } from './automaton.ts';

/** A stretch of a stream, by the number of bytes before it and before what follows it. */
export interface Stretch {
  readonly start: number;
  readonly end: number;
}

/** One way of reading a stream in which secrets are looked for. */
export interface View {
  /** Takes the bytes that follow; `at` is how many came before them. Each stretch that is a secret is told, by its end. */
  read(bytes: Uint8Array, at: number): void;
  /** Where the first one begins that may be a secret, by what comes next; infinite where none does. */
  open(): number;
  /** Nothing follows: what was waited for comes to nothing. */
  end(): void;
}

type Tell = (found: Stretch) => void;

/** Bytes between two lines of base64 that belong to them at most: a line break, and what the next one is indented by. */
const MOST_BETWEEN = 32;
/** Characters of base64 that are held back for what the next line may go on with. */
const HELD_FROM = 4;
const [TAB, LF, CR, BLANK, BACKSLASH] = [0x09, 0x0a, 0x0d, 0x20, 0x5c];

/** Follows one automaton over bytes that stand somewhere else in the stream than beside each other. */
interface Track {
  /** The next byte, and the stretch of the stream that stands for it. */
  take(byte: number, start: number, end: number): void;
  /** Whether it makes no difference that a byte is left out. */
  passes(byte: number): boolean;
  depth(): number;
  open(): number;
  reset(): void;
}

function createTrack(automaton: Automaton, tell: Tell): Track {
  const { begins } = automaton;
  // Where each of the bytes begins that may belong to a secret, as a ring.
  const starts = new Float64Array(2 ** (32 - Math.clz32(automaton.longest)));
  const mask = starts.length - 1;
  let [state, taken] = [0, 0];
  const startOf = (length: number): number => starts[(taken - length) & mask] ?? 0;
  return {
    take(byte, start, end) {
      state = automaton.step(state, byte);
      if (state === 0) return;
      starts[taken & mask] = start;
      taken += 1;
      const length = automaton.endedAt(state);
      if (length > 0) tell({ start: startOf(length), end });
    },
    passes: (byte) => state === 0 && begins[byte] === 0,
    depth: () => automaton.depthOf(state),
    open() {
      const depth = automaton.depthOf(state);
      return depth === 0 ? Number.POSITIVE_INFINITY : startOf(depth);
    },
    reset() {
      state = 0;
    },
  };
}

/** Bytes as they are. */
export function plainView(automaton: Automaton, tell: Tell): View {
  const track = createTrack(automaton, tell);
  return {
    read(bytes, at) {
      for (let index = 0; index < bytes.length; index++) {
        const byte = bytes[index] ?? 0;
        if (!track.passes(byte)) track.take(byte, at + index, at + index + 1);
      }
    },
    open: track.open,
    end: track.reset,
  };
}

/** Base64 of both alphabets, whatever breaks it into lines. */
export function base64View(automaton: Automaton, tell: Tell): View {
  const track = createTrack(automaton, tell);
  // What is not held back any more, and how many bytes are between two lines so far.
  let [passed, between] = [0, 0];
  const take = (byte: number, at: number): void => {
    if (byte === LF || byte === CR || byte === BLANK || byte === TAB) {
      between += 1;
      if (between > MOST_BETWEEN) track.reset();
      // A line that happens to end like a beginning is passed on: of a secret it would be two bytes at most.
      if (track.depth() < HELD_FROM) passed = at + 1;
      return;
    }
    between = 0;
    track.take(byte === 0x2d ? 0x2b : byte === 0x5f ? 0x2f : byte, at, at + 1);
  };
  return {
    read(bytes, at) {
      for (let index = 0; index < bytes.length; index++) {
        const byte = bytes[index] ?? 0;
        if (!track.passes(byte) || byte === 0x2d || byte === 0x5f) take(byte, at + index);
      }
    },
    open: () => Math.max(track.open(), passed),
    end: track.reset,
  };
}

const SHORT_ESCAPES: Readonly<Record<string, string>> = {
  ...{ '\\"': '"', '\\\\': '\\', '\\/': '/' },
  ...{ '\\b': '\b', '\\f': '\f', '\\n': '\n', '\\r': '\r', '\\t': '\t' },
};
const ONE_UNIT = /^\\u(?!d[89ab])[0-9a-f]{4}$/i;
const TWO_UNITS = /^\\ud[89ab][0-9a-f]{2}\\ud[c-f][0-9a-f]{2}$/i;
/** What may become one of them. */
const BEGUN = /^\\(u([0-9a-f]{0,3}|d[89ab][0-9a-f]{2}(\\(u(d([c-f][0-9a-f]?)?)?)?)?))?$/i;

/** What the escapes of JSON stand for; bytes that are none as they are. */
export function jsonView(automaton: Automaton, tell: Tell): View {
  const track = createTrack(automaton, tell);
  // What may become an escape, and where it begins.
  let [begun, from] = ['', 0];
  const take = (byte: number, at: number): void => {
    if (begun === '' && byte !== BACKSLASH) {
      track.take(byte, at, at + 1);
      return;
    }
    if (begun === '') from = at;
    begun += String.fromCharCode(byte);
    const stands = standsFor(begun);
    if (stands !== undefined) {
      for (const one of Buffer.from(stands)) track.take(one, from, at + 1);
      begun = '';
    } else if (!BEGUN.test(begun)) {
      asIs(begun.slice(0, -1));
      begun = '';
      // Another one may begin with it.
      take(byte, at);
    }
  };
  const asIs = (text: string): void => {
    for (const [index, one] of [...Buffer.from(text, 'latin1')].entries()) {
      track.take(one, from + index, from + index + 1);
    }
  };
  return {
    read(bytes, at) {
      for (let index = 0; index < bytes.length; index++) {
        const byte = bytes[index] ?? 0;
        if (begun !== '' || byte === BACKSLASH || !track.passes(byte)) take(byte, at + index);
      }
    },
    open: () => Math.min(track.open(), begun === '' ? Number.POSITIVE_INFINITY : from),
    end() {
      asIs(begun);
      begun = '';
      track.reset();
    },
  };
}

function standsFor(written: string): string | undefined {
  if (written.length === 2) return SHORT_ESCAPES[written];
  if (!ONE_UNIT.test(written) && !TWO_UNITS.test(written)) return undefined;
  const units = written.split('\\u').slice(1);
  return String.fromCharCode(...units.map((unit) => Number.parseInt(unit, 16)));
}
