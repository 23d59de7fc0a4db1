import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { createShellGrammar, type ShellGrammar } from '@writ/policy';

/** The shell grammar of the installed packages, as the policy package has them. */
export function installedGrammar(): Promise<ShellGrammar> {
  const { resolve } = createRequire(createRequire(import.meta.url).resolve('@writ/policy'));
  return createShellGrammar({
    runtime: readFileSync(resolve('web-tree-sitter/web-tree-sitter.wasm')),
    grammar: readFileSync(resolve('tree-sitter-bash/tree-sitter-bash.wasm')),
  });
}
