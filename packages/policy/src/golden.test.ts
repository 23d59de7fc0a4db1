import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { GOLDEN, goldenText } from './testing/golden/render.ts';

/** Parts of a file by their titles. */
function partsOf(name: string): ReadonlyMap<string, string> {
  const text = readFileSync(new URL(`../golden/${name}.txt`, import.meta.url), 'utf8');
  const parts = text.split(/^=== /m).slice(1);
  return new Map(parts.map((part) => [part.slice(0, part.indexOf('\n')), part]));
}

describe.each(Object.keys(GOLDEN))('what is said, word for word: %s', (name) => {
  const written = partsOf(name);

  it.each((GOLDEN[name] ?? []).map((part) => [part.title, part] as const))('%s', (title, part) => {
    expect(goldenText([part]).slice('=== '.length).trimEnd()).toBe(written.get(title)?.trimEnd());
  });

  it('and nothing else', () => {
    expect([...written.keys()]).toEqual(GOLDEN[name]?.map(({ title }) => title));
  });
});
