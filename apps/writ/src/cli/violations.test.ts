import { expect, it } from 'vitest';
import { violationLines } from './violations.ts';

it('shows each violation on a line that an editor can jump to', () => {
  const lines = violationLines([
    { code: 'UNKNOWN_KEY', path: 'profiles.query.runer', line: 12, column: 1, message: 'did you mean `runner`?' },
    { code: 'TEST_FAILED', path: 'tests', message: 'hidden\u202e' },
  ]);
  expect(lines.split('\n')).toEqual([
    'writ.toml:12:1  UNKNOWN_KEY  profiles.query.runer: did you mean `runner`?',
    'writ.toml  TEST_FAILED  tests: hidden\\u{202e}',
  ]);
});
