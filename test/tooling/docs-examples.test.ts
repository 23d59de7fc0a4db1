import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { nodeIdFromBase32 } from '@writ/core';
import { compileConfig } from '@writ/policy';
import { describe, expect, it } from 'vitest';

/** An identity of the right shape for examples that name one only in words. */
const SOME_ID = nodeIdFromBase32('a'.repeat(32));

const pages = ['README.md', ...readdirSync('docs').map((name) => join('docs', name))].filter(
  (path) => path.endsWith('.md') && existsSync(path),
);
const examples = pages.flatMap((page) =>
  [...readFileSync(page, 'utf8').matchAll(/^```toml\n([\s\S]*?)^```$/gm)].map(([, text = ''], at) => ({
    name: `${page}, example ${at + 1}`,
    // A fragment is read behind the least that every file has.
    text: /^schema\b/m.test(text)
      ? text
      : `schema = 1\n${/^\[node\]/m.test(text) ? '' : '[node]\nname = "example"\n'}${text}`,
  })),
);

describe('the configuration examples of the documentation', () => {
  it('are found', () => {
    expect(examples.some(({ name }) => name.startsWith('docs/configuration.md'))).toBe(true);
  });

  it.each(examples)('$name can be put in force', ({ text }) => {
    const result = compileConfig(text.replaceAll('PEER_ID', SOME_ID));
    expect(result.ok ? [] : result.violations).toEqual([]);
  });
});
