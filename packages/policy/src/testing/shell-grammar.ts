import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { createShellGrammar } from '../classification/shell-grammar.ts';
import type { ShellGrammar } from '../classification/types.ts';

/** The grammar from the installed packages. For tests of this package only. */
export function testGrammar(): Promise<ShellGrammar> {
  const { resolve } = createRequire(import.meta.url);
  return createShellGrammar({
    runtime: readFileSync(resolve('web-tree-sitter/web-tree-sitter.wasm')),
    grammar: readFileSync(resolve('tree-sitter-bash/tree-sitter-bash.wasm')),
  });
}
