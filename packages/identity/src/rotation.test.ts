import { silentLogger } from '@writ/core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { rotateWhenDue } from './rotation.ts';
import { createTestNodes, type TestNode, type TestNodes } from './testing/nodes.ts';

let nodes: TestNodes;
beforeAll(async () => {
  nodes = await createTestNodes(1);
});
afterAll(() => nodes.remove());

it('a running node rotates its keys when they are due, and not before', async () => {
  const { identity } = nodes.nodes[0] as TestNode;
  const { clock } = nodes;
  const stop = rotateWhenDue(identity, { clock, logger: silentLogger });
  const before = identity.tls();
  const rotated = new Promise<void>((resolve) => identity.onRotate(resolve));
  clock.advance(3_600_000);
  expect(identity.tls()).toEqual(before);
  clock.jump(identity.rotationDueAtMs() - clock.nowMs());
  clock.advance(3_600_000);
  await rotated;
  expect(identity.tls().keyPem).not.toBe(before.keyPem);
  stop();
  expect(clock.pendingTimers()).toBe(0);
});
