import { expect, it } from 'vitest';
import { describeWith } from '../../../../../test/support/require.ts';
import { chaseOrphans } from './orphans.ts';

describeWith(
  ['bwrap', 'setsid', 'python3'],
  'runs whose children leave their session, fork twice and are deaf to TERM',
  () => {
    it('leave nothing behind, whichever way they end: kill -9 of node and spawner too', async () => {
      const figures = await chaseOrphans(8);
      expect(figures).toMatchObject({ rounds: 8, left: [] });
      expect(Object.keys(figures.ways)).toHaveLength(8);
    });
  },
);
