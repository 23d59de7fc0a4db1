import { startTestNode, type TestNode } from './test-node.ts';

/** The nodes of one test file; each test closes all that it started. */
export interface NodeSet {
  start(name: string, limits?: Parameters<typeof startTestNode>[1]): Promise<TestNode>;
  /** Two nodes that trust each other. */
  pair(limits?: Parameters<typeof startTestNode>[1]): Promise<{ readonly alpha: TestNode; readonly beta: TestNode }>;
  /** Something else that a test opened. */
  closeLater(close: () => void | Promise<void>): void;
  /** Throws where a connection is left. */
  closeAll(): Promise<void>;
}

/** An empty set. */
export function createNodeSet(): NodeSet {
  const nodes: TestNode[] = [];
  const closers: (() => void | Promise<void>)[] = [];
  const start: NodeSet['start'] = async (name, limits) => {
    const node = await startTestNode(name, limits);
    nodes.push(node);
    return node;
  };
  return {
    start,
    async pair(limits) {
      const [alpha, beta] = [await start('alpha', limits), await start('beta', limits)];
      await alpha.trust(beta);
      await beta.trust(alpha);
      return { alpha, beta };
    },
    closeLater: (close) => void closers.push(close),
    async closeAll() {
      for (const close of closers.splice(0)) await close();
      // All ends let go first, so that what is left is a leak.
      for (const node of nodes) node.clients.close();
      for (const node of nodes.splice(0)) await node.close();
    },
  };
}
