import type { RunnerDriver } from './driver.ts';
import { assertProgram, promptOf } from './input.ts';

/**
 * A template of the node's own with `{prompt}` and `{workspace}` replaced inside its arguments, in one pass, so that
 * nothing in a prompt is replaced again. The program itself never comes from a prompt.
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
    return { argv: assertProgram(argv), inputOpen: false };
  },
};
