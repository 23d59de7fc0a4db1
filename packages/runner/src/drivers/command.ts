import { quote, WritError } from '@writ/core';
import type { RunnerConfig } from '../types.ts';
import type { RunnerDriver } from './driver.ts';
import { assertProgram, promptOf } from './input.ts';

/**
 * A template of the node's own with `{prompt}` and `{workspace}` replaced inside its arguments, in one pass, so that
 * nothing in a prompt is replaced again. The program itself never comes from a prompt, and none of its options.
 */
export const commandDriver: RunnerDriver = {
  takes: 'prompt',
  launch({ runner, input }, workspace) {
    const values: Readonly<Record<string, string>> = { '{prompt}': promptOf(runner, input), '{workspace}': workspace };
    const argv = runner.argv.map((part, at) =>
      part.replace(/\{prompt\}|\{workspace\}/g, (name) =>
        at === 0 && name === '{prompt}' ? name : (values[name] ?? name),
      ),
    );
    assertNoOption(runner, argv);
    return { argv: assertProgram(argv), inputOpen: false };
  },
};

/** INVARIANT: 1 a prompt says what is to be done, and never how the program is started: `--` ends a program's options. */
function assertNoOption({ name, argv: template }: RunnerConfig, argv: readonly string[]): void {
  const end = template.indexOf('--');
  const isOption = (part: string, at: number): boolean =>
    part.startsWith('{prompt}') && argv[at]?.startsWith('-') === true && (end < 0 || at < end);
  if (!template.some(isOption)) return;
  throw new WritError(
    'BAD_REQUEST',
    `the prompt begins with \`-\`, and runner ${quote(name)} would take it for an option`,
    {
      nextSteps: [
        'begin the prompt with a word',
        'or, on the executing node, write "--" before "{prompt}" in the argv of the runner, if its program knows that',
      ],
    },
  );
}
