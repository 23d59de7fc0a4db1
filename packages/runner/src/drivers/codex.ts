import { readCodexEvent } from './codex-events.ts';
import type { RunnerDriver } from './driver.ts';
import { followEvents } from './headless.ts';
import { assertProgram, promptOf } from './input.ts';
import { withPrompt } from './spoken-prompt.ts';

/**
 * Codex without a person (`codex exec`); it asks nobody and is refused then. In a sandbox of this node it makes none of its
 * own: that needs namespaces, which nothing inside can make, and every command would fail. Otherwise its own is as wide as
 * the grant is.
 */
export const codexDriver: RunnerDriver = {
  takes: 'prompt',
  launch({ runner, input, rights, isolation }) {
    promptOf(runner, input);
    const writes = rights.includes('edit_repo') || rights.includes('run_tests');
    const own = writes ? 'workspace-write' : 'read-only';
    const network = rights.includes('use_network');
    const argv = [
      ...(runner.argv.length === 0 ? ['codex'] : runner.argv),
      ...['exec', '--json', '--color', 'never', '--skip-git-repo-check'],
      ...['--sandbox', isolation === 'required' ? 'danger-full-access' : own],
      ...['--config', 'approval_policy="never"', '--config', `sandbox_workspace_write.network_access=${network}`],
      // The prompt comes on standard input.
      '-',
    ];
    return { argv: assertProgram(argv), inputOpen: true };
  },
  converse: (parts) => withPrompt(followEvents(parts, readCodexEvent), parts.spec.runner, parts.spec.input),
};
