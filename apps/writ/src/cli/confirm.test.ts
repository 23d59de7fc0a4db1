import { PassThrough } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { confirm } from './confirm.ts';
import { createOutput } from './output.ts';
import { type FakeNode, startFakeNode } from './testing/fake-node.ts';

let node: FakeNode;
beforeEach(async () => {
  node = await startFakeNode();
});
afterEach(() => node.stop());

describe('a command that cannot be undone', () => {
  it.each([
    [['peer', 'remove', 'beta'], 'writ peer remove beta --yes'],
    [['task', 'forget', 't-1'], 'writ task forget t-1 --yes'],
    [['lease', 'accept-clock'], 'writ lease accept-clock --yes'],
    [['workspace', 'prune', '--unbundled', 't-1'], 'writ workspace prune --unbundled t-1 --yes'],
    [['mesh', 'down', '--purge', '--dir', '/nowhere'], 'writ mesh down --purge --dir /nowhere --yes'],
  ])('%j asks nothing of the node where nobody can say yes, and says what to type', async (argv, retype) => {
    const refused = await node.writ(...argv);
    expect(refused).toMatchObject({ code: 2, out: '' });
    expect(refused.err).toContain(`  → if that is what you want: ${retype}\n`);
    expect(node.calls).toEqual([]);
  });

  it('is done at once with --yes', async () => {
    node.answers.peer_remove = () => ({ label: 'beta', generation: 2 });
    expect(await node.writ('peer', 'remove', 'beta', '-y')).toMatchObject({ code: 0 });
    expect(node.calls).toEqual([{ name: 'peer_remove', input: { peer: 'beta' } }]);
  });
});

describe('a person at a terminal', () => {
  /** Asks somebody who types that; undefined: leaves with Ctrl-C. */
  async function asked(typed: string | undefined) {
    const [input, err] = [new PassThrough(), new PassThrough()].map((stream) => Object.assign(stream, { isTTY: true }));
    const interrupt = new AbortController();
    const streams = { in: input, err, out: err } as never;
    const output = createOutput(streams, { json: false, noColor: true });
    const context = { streams, output, signal: interrupt.signal } as never;
    const answer = confirm(context, {}, { what: 'all of it goes', retype: 'writ x' });
    if (typed === undefined) interrupt.abort();
    else input?.write(`${typed}\n`);
    return answer;
  }

  it.each(['y', 'Yes'])('goes on with %s', async (typed) => {
    await expect(asked(typed)).resolves.toBeUndefined();
  });

  it.each(['', 'n', 'yess', undefined])('does nothing with %s', async (typed) => {
    await expect(asked(typed)).rejects.toMatchObject({ code: 'CANCELLED', message: 'nothing was done' });
  });
});
