/** Finds any number of texts in one pass over bytes (Aho and Corasick), in time that does not depend on how many there are. */
export interface Automaton {
  /** Length of the longest text. */
  readonly longest: number;
  /** By byte, the state that it leads to from the first one: 0 where no text begins with it. */
  readonly begins: Int32Array;
  /** The state after one more byte; 0 is the first one, in which nothing has begun. */
  step(state: number, byte: number): number;
  /** How many of the last bytes may go on to be a text. */
  depthOf(state: number): number;
  /** Length of the longest text that has just ended, or 0. */
  endedAt(state: number): number;
}

/** Fewer slots than this are not worth counting. */
const FEWEST_SLOTS = 16;
/** Spreads keys that lie beside each other: 2^32 over the golden ratio. */
const SPREAD = 0x9e3779b1;

/** Texts of at least one byte; undefined where there is none. */
export function createAutomaton(texts: readonly Uint8Array[]): Automaton | undefined {
  if (texts.length === 0) return undefined;
  const most = 1 + texts.reduce((sum, text) => sum + text.length, 0);
  const { edges, depth, ended, waits, parent, byteInto, count } = plant(texts, most);
  // Where to go on when the next byte does not fit: the longest end of what was seen that begins a text as well.
  const otherwise = new Int32Array(most);
  const step = (from: number, byte: number): number => {
    for (let state = from; state !== 0; state = otherwise[state] ?? 0) {
      const next = edges.get(state, byte);
      if (next !== 0) return next;
    }
    return edges.begin[byte] ?? 0;
  };
  for (const state of byDepth(depth, count)) {
    const above = parent[state] ?? 0;
    const other = above === 0 ? 0 : step(otherwise[above] ?? 0, byteInto[state] ?? 0);
    otherwise[state] = other;
    ended[state] ||= ended[other] ?? 0;
    waits[state] ||= waits[other] ?? 0;
  }
  return {
    longest: texts.reduce((longest, text) => Math.max(longest, text.length), 0),
    begins: edges.begin,
    step,
    depthOf: (state) => waits[state] ?? 0,
    endedAt: (state) => ended[state] ?? 0,
  };
}

/** The states that texts lead through, one for each beginning; texts that begin together share theirs. */
function plant(texts: readonly Uint8Array[], most: number) {
  const edges = createEdges(most);
  const [depth, parent, ended, waits] = [most, most, most, most].map((length) => new Int32Array(length)) as [
    ...[Int32Array, Int32Array, Int32Array, Int32Array],
  ];
  const byteInto = new Uint8Array(most);
  let count = 1;
  for (const text of texts) {
    let state = 0;
    for (const byte of text) {
      let next = edges.get(state, byte);
      if (next === 0) {
        next = count++;
        edges.set(state, byte, next);
        const level = depth[state] ?? 0;
        depth[next] = level + 1;
        // Only what leads on may still become a text.
        waits[state] = level;
        parent[next] = state;
        byteInto[next] = byte;
      }
      state = next;
    }
    ended[state] = text.length;
  }
  return { edges, depth, parent, ended, waits, byteInto, count };
}

interface Edges {
  /** The states that the first byte leads to. */
  readonly begin: Int32Array;
  /** The state that a byte leads to, or 0. */
  get(state: number, byte: number): number;
  set(state: number, byte: number, next: number): void;
}

/** A table of numbers: of an array for each state most would be empty. */
function createEdges(most: number): Edges {
  const bits = 32 - Math.clz32(Math.max(FEWEST_SLOTS, 2 * most) - 1);
  const [keys, nexts] = [new Int32Array(2 ** bits), new Int32Array(2 ** bits)];
  const begin = new Int32Array(256);
  const [mask, shift] = [keys.length - 1, 32 - bits];
  const slotOf = (key: number): number => {
    let slot = Math.imul(key, SPREAD) >>> shift;
    for (let kept = keys[slot]; kept !== 0 && kept !== key; kept = keys[slot]) slot = (slot + 1) & mask;
    return slot;
  };
  return {
    begin,
    get: (state, byte) => (state === 0 ? begin[byte] : nexts[slotOf(state * 256 + byte)]) ?? 0,
    set(state, byte, next) {
      if (state === 0) {
        begin[byte] = next;
        return;
      }
      const slot = slotOf(state * 256 + byte);
      keys[slot] = state * 256 + byte;
      nexts[slot] = next;
    },
  };
}

/** All states but the first, those that fewer bytes lead to before others. */
function byDepth(depth: Int32Array, count: number): Int32Array {
  const deepest = depth.reduce((most, one) => Math.max(most, one), 0);
  const places = new Int32Array(deepest + 2);
  for (let state = 1; state < count; state++)
    places[(depth[state] ?? 0) + 1] = (places[(depth[state] ?? 0) + 1] ?? 0) + 1;
  for (let at = 1; at < places.length; at++) places[at] = (places[at] ?? 0) + (places[at - 1] ?? 0);
  const ordered = new Int32Array(count - 1);
  for (let state = 1; state < count; state++) {
    const at = depth[state] ?? 0;
    const place = places[at] ?? 0;
    ordered[place] = state;
    places[at] = place + 1;
  }
  return ordered;
}
