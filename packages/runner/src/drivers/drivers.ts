import type { RunnerKind } from '../types.ts';
import { acpDriver } from './acp.ts';
import { claudeDriver } from './claude.ts';
import { codexDriver } from './codex.ts';
import { commandDriver } from './command.ts';
import type { RunnerDriver } from './driver.ts';
import { shellDriver } from './shell.ts';

/** Every driver there is, by the kind of runner that it drives. */
export const DRIVERS: Readonly<Record<RunnerKind, RunnerDriver>> = {
  shell: shellDriver,
  command: commandDriver,
  acp: acpDriver,
  codex: codexDriver,
  claude: claudeDriver,
};
