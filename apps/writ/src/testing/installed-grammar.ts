import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { createShellGrammar, type ShellGrammar } from '@writ/policy';

/** The grammar from the installed packages: in tests nothing is built beside the program. */
export function installedGrammar(): Promise<ShellGrammar> {
  const { runtime, grammar } = installedGrammarFiles();
  return createShellGrammar({ runtime: readFileSync(runtime), grammar: readFileSync(grammar) });
}

/** Its two files, absolute. */
export function installedGrammarFiles(): { readonly runtime: string; readonly grammar: string } {
  const { resolve } = createRequire(import.meta.url);
  return {
    runtime: resolve('web-tree-sitter/web-tree-sitter.wasm'),
    grammar: resolve('tree-sitter-bash/tree-sitter-bash.wasm'),
  };
}
