import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { createShellGrammar, type ShellGrammar } from '@writ/policy';

/** The grammar from the installed packages: in tests nothing is built beside the program. */
export function installedGrammar(): Promise<ShellGrammar> {
  const { resolve } = createRequire(import.meta.url);
  return createShellGrammar({
    runtime: readFileSync(resolve('web-tree-sitter/web-tree-sitter.wasm')),
    grammar: readFileSync(resolve('tree-sitter-bash/tree-sitter-bash.wasm')),
  });
}
