/** One part of a golden file. */
export interface Part {
  readonly title: string;
  readonly text: () => string;
}
