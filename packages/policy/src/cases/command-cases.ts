import type { CommandClassifier } from '../classification/classify.ts';
import type { CommandPlace } from '../classification/types.ts';
import type { CaseCheck } from './types.ts';

/** A command with the class that it has, and the canonical target where it is checked. */
export interface CommandCase {
  readonly argv: readonly string[];
  readonly class: string;
  readonly target?: string;
}

/** Where the commands of cases run. */
const PLACE: CommandPlace = { host: 'self', cwd: '/w', workspace: '/w' };

/** Runs one case. */
export function checkCommandCase(classifier: CommandClassifier, { argv, class: is, target }: CommandCase): CaseCheck {
  const found = classifier.classify(argv, PLACE);
  const expected = target === undefined ? is : `${is} of ${target}`;
  const got = target === undefined ? found.class : `${found.class} of ${found.target ?? 'no single target'}`;
  return { name: argv.join(' '), expected, got, ok: got === expected };
}
