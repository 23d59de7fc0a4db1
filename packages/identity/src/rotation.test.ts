import { silentLogger } from '@writ/core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createTestNodes, type TestNode, type TestNodes } from './identity-fixture.ts';
import { rotateWhenDue } from './rotation.ts';

let nodes: TestNodes;
beforeAll(async () => {
  nodes = await createTestNodes(1);
});
afterAll(() => nodes.remove());

it('a running node rotates its keys when they are due, and not before', async () => {
  const { identity } = nodes.nodes[0] as TestNode;
  let look: (() => void) | undefined;
  let isStopped = false;
  const clock = {
    ...nodes.clock,
    setEvery: (_periodMs: number, fn: () => void) => {
      look = fn;
      return () => {
        isStopped = true;
      };
    },
  };
  const stop = rotateWhenDue(identity, { clock, logger: silentLogger });
  const before = identity.tls();
  const rotated = new Promise<void>((resolve) => identity.onRotate(resolve));
  look?.();
  expect(identity.tls()).toEqual(before);
  clock.nowAtMs = identity.rotationDueAtMs();
  look?.();
  await rotated;
  expect(identity.tls().keyPem).not.toBe(before.keyPem);
  stop();
  expect(isStopped).toBe(true);
});
