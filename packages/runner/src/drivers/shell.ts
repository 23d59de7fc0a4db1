import { assertCommandAllowed } from '../commands.ts';
import type { RunnerDriver } from './driver.ts';
import { argvOf, assertProgram } from './input.ts';

/** The request's own argument vector, where the profile lets it run. */
export const shellDriver: RunnerDriver = {
  takes: 'argv',
  launch({ runner, input, commands }) {
    const argv = assertProgram(argvOf(runner, input));
    assertCommandAllowed(argv, commands);
    return { argv, inputOpen: false };
  },
};
