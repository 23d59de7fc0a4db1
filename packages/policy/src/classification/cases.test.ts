import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { testGrammar } from '../model/shell-grammar.ts';
import { createCommandClassifier } from './classify.ts';

interface CommandCase {
  readonly argv: readonly string[];
  readonly class: string;
  readonly target?: string;
}

const CASES: readonly CommandCase[] = JSON.parse(
  readFileSync(new URL('../../cases/commands.json', import.meta.url), 'utf8'),
);

describe('case', async () => {
  const classifier = createCommandClassifier({ grammar: await testGrammar() });
  it.each(CASES)('$argv is $class', ({ argv, class: wanted, target }) => {
    const found = classifier.classify(argv, { host: 'self', cwd: '/w', workspace: '/w' });
    expect(found.class).toBe(wanted);
    if (target !== undefined) expect(found.target).toBe(target);
  });
});
