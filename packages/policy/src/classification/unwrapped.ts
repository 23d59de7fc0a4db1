import type { Argument, Assignment, CommandPlace } from './types.ts';

/** What is inside a command. */
export type Unwrapped =
  /** It wraps nothing. */
  | { readonly kind: 'plain' }
  /** Nobody can say what runs. */
  | { readonly kind: 'undecided'; readonly reason: string }
  /** It reads, and runs nothing. */
  | { readonly kind: 'nothing'; readonly needs: readonly string[] }
  | { readonly kind: 'script'; readonly script: string; readonly place: CommandPlace }
  | {
      readonly kind: 'commands';
      readonly commands: readonly (readonly Argument[])[];
      /** What is left for the program itself to do, as arguments; absent: nothing but running the commands. */
      readonly own?: readonly Argument[];
      readonly place: CommandPlace;
      readonly variables: readonly Assignment[];
      /** What the wrapper itself needs; absent: nothing. */
      readonly needs?: readonly string[];
    };
