import { quote, shellWord, WritError } from '@writ/core';
import type { CompiledPolicy } from '@writ/policy';
import { readPlainFile } from '../plain-file.ts';
import { violationLines } from './violations.ts';

/** Text of a file that a person has named. Throws BAD_REQUEST where it cannot be read, or is too large for what it is. */
export function readText(path: string): string {
  try {
    return readPlainFile(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') {
      throw new WritError('BAD_REQUEST', `there is no file ${quote(path)}`, {
        nextSteps: ['name one that is there; the configuration of this node is made by: writ init'],
        cause: error,
      });
    }
    throw new WritError('BAD_REQUEST', `cannot read ${quote(path)}: ${(error as Error).message}`, {
      nextSteps: ['name a file that can be read, such as ./writ.toml'],
      cause: error,
    });
  }
}

/** The policy of a text. Throws CONFIG_INVALID with every violation. Loads the policy engine only when called. */
export async function compileOrThrow(text: string, path: string): Promise<CompiledPolicy> {
  const { compileConfig } = await import('@writ/policy');
  const compiled = compileConfig(text);
  if (compiled.ok) return compiled.policy;
  const located = compiled.violations.map(({ position, ...one }) => ({ ...one, ...position }));
  throw new WritError('CONFIG_INVALID', `${quote(path)} does not load\n${violationLines(located, path)}`, {
    nextSteps: [`mend it and run: writ policy validate ${shellWord(path)}`],
  });
}
