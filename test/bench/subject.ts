/** One thing that is timed. The parts before and after are not. */
export interface Subject {
  /** Short name, also the key in the JSON report. */
  readonly name: string;
  /** What one call of `once` does, for the reader of the report. */
  readonly does: string;
  /** Timed only in every n-th round; absent: in every one. For what is slow and varies little. */
  readonly every?: number;
  setup(): Promise<void>;
  /** Does it once, to the end. Rejects when the outcome is not the expected one: a fast failure is no measurement. */
  once(): Promise<void>;
  /** Ends what `setup` started; harmless when `setup` failed half-way. */
  teardown(): Promise<void>;
}
