import { expect, it } from 'vitest';
import { withoutUrlSecrets } from './url-secrets.ts';

it.each([
  ['fetch of http://user:pass@host:9/mcp?key=k failed', 'fetch of http://…@host:9/mcp?… failed'],
  ['(http://user:pa@ss/x@host/?a=1#b).', '(http://…@host/?…).'],
  ['`https://host/mcp#token`, twice', '`https://host/mcp#…`, twice'],
  ['Cannot POST /mcp?key=k', 'Cannot POST /mcp?…'],
  ['"/mcp?key=k": 404', '"/mcp?…": 404'],
  ['https://host:1/mcp is away. Why? a=b', 'https://host:1/mcp is away. Why? a=b'],
  ['one\ntwo', 'one\ntwo'],
])('takes what proves who asks out of %j', (text, shown) => {
  expect(withoutUrlSecrets(text)).toBe(shown);
});

it('takes no longer for a long text than it is long', () => {
  expect(withoutUrlSecrets('?'.repeat(1_000_000))).toHaveLength(1_000_000);
  expect(withoutUrlSecrets(`http://${'@'.repeat(1_000_000)}`)).toBe('http://…@');
});
