import { readClaudeEvent } from './claude-events.ts';
import { toolsFor } from './claude-tools.ts';
import type { RunnerDriver } from './driver.ts';
import { followEvents } from './headless.ts';
import { assertProgram, promptOf } from './input.ts';
import { withPrompt } from './spoken-prompt.ts';

/**
 * Claude Code without a person (`claude --print`). Its tools are those that the grant holds; what else it asks for it is
 * refused. Settings and servers that the repository brings along are not read: they could start programs.
 */
export const claudeDriver: RunnerDriver = {
  takes: 'prompt',
  launch({ runner, input, rights, commands }) {
    promptOf(runner, input);
    const { offered, allowed } = toolsFor(rights, commands);
    const argv = [
      ...(runner.argv.length === 0 ? ['claude'] : runner.argv),
      ...['--print', '--output-format', 'stream-json', '--verbose'],
      ...['--setting-sources', 'user', '--strict-mcp-config', '--permission-mode', 'default'],
      // It brings along more than files and commands: what is not named here is not there.
      ...['--tools', offered.join(',')],
      ...(allowed.length === 0 ? [] : ['--allowedTools', allowed.join(',')]),
    ];
    return { argv: assertProgram(argv), inputOpen: true };
  },
  converse: (parts) => withPrompt(followEvents(parts, readClaudeEvent), parts.spec.runner, parts.spec.input),
};
