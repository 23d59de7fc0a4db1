/**
 * A named pipe whose write end every process of a run inherits as descriptor 3, and that nobody writes to. Looks at
 * `/proc` can miss a process; the pipe cannot: it is at its end when the last one that did not close it is gone, and
 * not before. Programs ignore a descriptor that they were not told of (shells and git hand it on, Python and Node.js
 * keep it from the programs that they start); a sandbox such as bubblewrap hands it on too. One that uses descriptor 3 for something
 * else closes it by that, and its run is found by its other marks alone.
 */
export interface Lifeline {
  /** Absolute path that it was made under; unlinked since. */
  readonly name: string;
  /** Some process has it open for writing. */
  isHeld(): boolean;
  close(): void;
}
