import { programOf } from './program.ts';
import type { Classification, InnerCommand } from './types.ts';

/** Programs that run what files of their folder say: hooks, scripts, build files, settings. */
const PROGRAMS: ReadonlySet<string> = new Set([
  ...['git', 'hg', 'jj', 'pre-commit', 'direnv'],
  ...['npm', 'npx', 'pnpm', 'yarn', 'bun', 'deno', 'tsx', 'ts-node'],
  ...[
    'pip',
    'pipx',
    'uv',
    'poetry',
    'tox',
    'pytest',
    'gem',
    'bundle',
    'composer',
    'mix',
    'cargo',
    'go',
    'dotnet',
    'sbt',
  ],
  ...['ruff', 'mypy', 'black', 'isort', 'tsc', 'eslint', 'prettier'],
  ...['make', 'gmake', 'cmake', 'ninja', 'meson', 'just', 'task', 'rake', 'mvn', 'gradle', 'ant', 'bazel'],
  ...['terraform', 'tofu', 'vagrant', 'packer', 'ansible', 'ansible-playbook', 'helm', 'helmfile'],
  ...['docker-compose', 'podman-compose'],
]);
/** Programs of which only some commands do. */
const COMMANDS: ReadonlyMap<string, string> = new Map([
  ...['docker', 'podman', 'nerdctl'].map((name) => [name, 'compose'] as const),
  ...['python', 'python3', 'pypy'].map((name) => [name, '-m'] as const),
]);

/**
 * True where files of the folder decide what else runs, which no argument names and no digest binds. A rule of the configuration
 * is the owner's own word.
 */
export function obeysFolder({ commands }: Pick<Classification, 'commands'>): boolean {
  return commands.some(isLed);
}

/** Whether programs of these names, or a command of them, run what files of their folder say. */
export function isLedByFolder(names: readonly string[], args: readonly string[]): boolean {
  return names.some((name) => {
    const word = COMMANDS.get(name);
    return PROGRAMS.has(name) || (word !== undefined && args.includes(word));
  });
}

function isLed({ rule, argv: [first = '', ...rest] }: InnerCommand): boolean {
  if (rule.startsWith('commands[')) return false;
  const { name } = programOf(first, (known) => PROGRAMS.has(known) || COMMANDS.has(known));
  return isLedByFolder([name], rest);
}
