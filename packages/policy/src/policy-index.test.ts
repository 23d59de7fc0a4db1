import { describe, expect, it } from 'vitest';
import { indexConfig } from './policy-index.ts';
import { BASE, load } from './testing/fixtures.ts';
import { testId } from './testing/testing.ts';

describe('what decisions look things up in', () => {
  const far = testId('far');
  const { config } = load(
    `${BASE}[origins.far]\nid = "${far}"\n[peers.rack]\nid = "${testId('rack')}"\naccept_origins = ["desk", "far"]\n`,
  );

  it('knows peers by their folded id, each made once, and nobody else', () => {
    const index = indexConfig(config, () => undefined);
    const desk = index.peer(testId('desk'));
    expect(desk).toMatchObject({ label: 'desk', id: testId('desk'), path: 'peers.desk' });
    expect(index.peer(testId('desk'))).toBe(desk);
    for (const stranger of ['desk', far, 'self', '']) expect(index.peer(stranger)).toBeUndefined();
  });

  it('knows origins by their ids, be they peers or not; a label that nothing has names nobody', () => {
    const rack = config.peers.get('rack');
    if (!rack) throw new Error('it was to be a peer');
    const acceptOrigins = [...rack.acceptOrigins, 'gone'];
    const peers = new Map([...config.peers, ['rack', { ...rack, acceptOrigins }]]);
    const index = indexConfig({ ...config, peers }, () => undefined);
    expect([...(index.peer(rack.id)?.origins ?? [])]).toEqual([testId('desk'), far]);
  });
});
