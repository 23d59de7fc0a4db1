import { expect, it } from 'vitest';
import { theirWords } from './their-words.ts';

it('says what failed in a sentence, and none of the dump of a checker', () => {
  const dump = JSON.stringify([{ expected: 'array', path: ['tools'] }], undefined, 2);
  expect(theirWords(new Error(`Invalid result for tools/list: ${dump}`), 300)).toBe('Invalid result for tools/list');
});

it('makes everything else visible, and cuts it', () => {
  expect(theirWords(new Error('one\ntwo'), 300)).toBe('one\\u{a}two');
  expect(theirWords('x'.repeat(20), 5)).toBe('xxxxx');
});

it('repeats nothing of an address that proves who asks', () => {
  const said =
    'Request cannot be constructed from a URL that includes credentials: http://user:pass@127.0.0.1:9/mcp?key=k';
  expect(theirWords(new Error(said), 300)).toMatch(/: http:\/\/…@127\.0\.0\.1:9\/mcp\?…$/);
});
