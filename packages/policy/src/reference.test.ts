import { describe, expect, it } from 'vitest';
import { configReference } from './reference.ts';

describe('the reference', () => {
  it('has a row for every key, each once, with its default and meaning', () => {
    const rows = configReference();
    const byKey = new Map(rows.map((row) => [row.key, row]));
    expect(byKey.size).toBe(rows.length);
    expect(byKey.get('profiles.NAME.timeout')).toMatchObject({ default: '30m' });
    expect(byKey.get('peers.NAME.id')).toMatchObject({ default: 'required' });
    expect(byKey.get('peers.NAME.profile_ceilings.NAME')).toMatchObject({ type: 'a name' });
    for (const key of ['schema', 'tests[].expect', 'self.limits.max_concurrent', 'leases.max', 'upstreams.NAME.url']) {
      expect(byKey.has(key)).toBe(true);
    }
    for (const { meaning } of rows) expect(meaning).not.toBe('');
  });
});
