import { readCodexEvent } from './codex-events.ts';
import type { RunnerDriver } from './driver.ts';
import { followEvents } from './headless.ts';
import { assertProgram, promptOf } from './input.ts';
import { withPrompt } from './spoken-prompt.ts';

/**
 * Codex without a person (`codex exec`); it asks nobody and is refused then. Its own sandbox, as wide as the grant is, needs
 * namespaces, which no program in ours can make; there ours is what holds it.
 */
export const codexDriver: RunnerDriver = {
  takes: 'prompt',
  launch({ runner, input, rights, isolation }) {
    promptOf(runner, input);
    const writes = rights.includes('edit_repo') || rights.includes('run_tests');
    const network = rights.includes('use_network');
    const argv = [
      ...(runner.argv.length === 0 ? ['codex'] : runner.argv),
      ...['exec', '--json', '--color', 'never', '--skip-git-repo-check'],
      ...['--sandbox', isolation === 'required' ? 'danger-full-access' : writes ? 'workspace-write' : 'read-only'],
      ...['--config', 'approval_policy="never"', '--config', `sandbox_workspace_write.network_access=${network}`],
      // The prompt comes on standard input.
      '-',
    ];
    return { argv: assertProgram(argv), inputOpen: true };
  },
  converse: (parts) => withPrompt(followEvents(parts, readCodexEvent), parts.spec.runner, parts.spec.input),
};
