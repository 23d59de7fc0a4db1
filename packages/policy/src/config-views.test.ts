import { describe, expect, it } from 'vitest';
import { effectiveValues } from './effective.ts';
import { configJsonSchema } from './json-schema.ts';
import { configReference } from './reference.ts';
import { BASE } from './testing/fixtures.ts';

describe('the effective configuration', () => {
  const values = effectiveValues(BASE) ?? [];
  const of = (key: string) => values.find((one) => one.key === key);

  it('says for each value whether the file or a default says so, and on which line', () => {
    expect(of('node.name')).toEqual({ key: 'node.name', value: 'box', source: 'file', line: 3 });
    expect(of('node.max_chain')).toEqual({ key: 'node.max_chain', value: '8', source: 'default' });
    expect(of('profiles.query.timeout')).toEqual({ key: 'profiles.query.timeout', value: '30m', source: 'default' });
    expect(of('profiles.repo-dev.shell')).toMatchObject({ value: 'allow', source: 'file' });
    expect(of('profile_ceilings.system-change')).toMatchObject({ value: 'repo-dev', source: 'file' });
    expect(of('peers.laptop.outbound.ship')).toMatchObject({ value: 'false', source: 'default' });
    expect(of('leases.max')).toMatchObject({ value: '24h', source: 'default' });
    expect(BASE.split('\n')[(of('peers.desk.limits.max_concurrent')?.line ?? 0) - 1]).toBe('max_concurrent = 2');
  });

  it('shows what stands in lists of tables, and nothing that neither the file nor a default says', () => {
    const more = effectiveValues(`${BASE}[[tests]]\nfrom = "desk"\nexpect = "allow"\n`) ?? [];
    expect(more.find(({ key }) => key === 'tests[0].from')).toMatchObject({ value: 'desk', source: 'file' });
    expect(more.find(({ key }) => key === 'tests[0].lease')).toMatchObject({ value: 'false', source: 'default' });
    expect(of('node.listen')).toBeUndefined();
    expect(effectiveValues('a = ')).toBeUndefined();
    expect(effectiveValues('node = 1\nprofiles = [1]\ntests = 3\npeers = {a = 1}')).toBeDefined();
  });
});

describe('the JSON Schema', () => {
  const schema = JSON.parse(JSON.stringify(configJsonSchema()));

  it('closes every table, and has what the reference has', () => {
    for (const { key } of configReference()) {
      let at = schema;
      for (const part of key.split('.')) {
        const list = part.endsWith('[]');
        at = part === 'NAME' ? at.additionalProperties : at.properties[part.replace('[]', '')];
        if (list) at = at.items;
      }
      expect([key, typeof at]).toEqual([key, 'object']);
    }
    expect(schema.additionalProperties).toBe(false);
    expect(schema.required).toEqual(['schema', 'node']);
  });

  it('says types, bounds, words and defaults', () => {
    const profile = schema.properties.profiles.additionalProperties.properties;
    expect(profile.shell).toMatchObject({ enum: ['allow', 'deny'], default: 'deny' });
    expect(profile.rank).toMatchObject({ type: 'integer', minimum: 0, maximum: 4 });
    expect(profile.require_lease).toMatchObject({ type: 'boolean', default: false });
    expect(profile.commands).toMatchObject({ default: [], items: { type: 'array', minItems: 1 } });
    expect(profile.network.anyOf).toHaveLength(2);
    expect(schema.properties.node.properties.max_chain).toMatchObject({ default: 8 });
    expect(schema.properties.tests.items.required).toEqual(['from', 'expect']);
  });
});
