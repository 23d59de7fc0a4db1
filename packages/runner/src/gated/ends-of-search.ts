import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/**
 * What programs take for the root of a project, by the names that they look for: a repository of its own, so that git finds one that is empty (of one
 * that is none `cd $(git rev-parse --show-toplevel)` goes to the user's home). Not complete: each program has its own.
 */
const ENDS: Readonly<Record<string, string>> = {
  '.git/HEAD': 'ref: refs/heads/none\n',
  '.git/config': '[core]\n\trepositoryformatversion = 0\n\tbare = false\n',
  '.git/objects/.none': '',
  '.git/refs/.none': '',
  '.hg/requires': 'none\n',
  '.svn/.none': '',
  '.editorconfig': 'root = true\n',
  'package.json': '{}\n',
  'deno.json': '{}\n',
  'composer.json': '{}\n',
  'tsconfig.json': '{}\n',
  ...Object.fromEntries(
    [
      ...['pnpm-workspace.yaml', 'package-lock.json', 'yarn.lock', 'pnpm-lock.yaml', 'turbo.json', 'nx.json'],
      ...['Cargo.toml', 'go.mod', 'go.work', 'pyproject.toml', 'setup.py', 'setup.cfg', 'requirements.txt'],
      ...['Makefile', 'GNUmakefile', 'justfile', 'Rakefile', 'Gemfile', 'CMakeLists.txt', 'meson.build'],
      ...['pom.xml', 'build.gradle', 'build.gradle.kts', 'settings.gradle', 'WORKSPACE', 'MODULE.bazel'],
      ...['docker-compose.yml', 'compose.yaml', 'Dockerfile', 'README.md', 'LICENSE', '.env'],
    ].map((name) => [name, '']),
  ),
};

/**
 * Makes a folder one in which a search for the project around a script ends: past it would be the first project above, which may be the
 * home of the user.
 */
export async function endSearches(folder: string): Promise<void> {
  for (const [name, text] of Object.entries(ENDS)) {
    const path = join(folder, name);
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    await writeFile(path, text, { mode: 0o600 });
  }
}
