import { sha256Hex } from '@writ/core';
import type { Result, UnsignedResult } from '@writ/evidence';
import { createFakeClock, type FakeClock } from '@writ/testkit/clock';
import {
  asksBeta,
  askTrue,
  createScriptedRunner,
  createTestNode,
  NODE_IDS,
  type TestNode,
} from '@writ/testkit/delegation';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { EvidenceKit } from '../../evidence-kit.ts';
import { createTellingExecutor, type Tale, type TellingExecutor } from '../../testing/telling-executor.ts';

const POLICY = asksBeta('query');

let clock: FakeClock;
let other: TellingExecutor;
let asking: TestNode;

beforeEach(async () => {
  clock = createFakeClock(Date.UTC(2026, 0, 1));
  other = await createTellingExecutor(clock);
  asking = await createAsking();
});

afterEach(async () => {
  await asking.close();
  await other.close();
});

function createAsking(wrapEvidence?: (kit: EvidenceKit) => EvidenceKit): Promise<TestNode> {
  return createTestNode({
    ...{ clock, policy: POLICY, selfId: NODE_IDS.alpha, inMemory: true, runner: createScriptedRunner({ clock }) },
    peers: { [NODE_IDS.beta]: other.client },
    ...(wrapEvidence ? { wrapEvidence } : {}),
  });
}

/** Delegates one task, which ends as the tale goes. */
async function ended(tale: Tale): Promise<NonNullable<ReturnType<TestNode['origin']['get']>>> {
  other.tell(tale);
  const answer = await asking.origin.delegate(askTrue());
  for await (const _ of asking.origin.watch(answer.task.id, 0, new AbortController().signal));
  const mirror = asking.origin.get(answer.task.id);
  if (!mirror) throw new Error('the mirror is gone');
  return mirror;
}

/** A completion that was not taken, and why. */
async function refusal(tale: Tale): Promise<string> {
  const { id, state, outcome } = await ended(tale);
  expect({ state, code: outcome?.code }).toEqual({ state: 'failed', code: 'EVIDENCE_INVALID' });
  expect(outcome?.result).toBeUndefined();
  expect(asking.origin.result(id)).toBeUndefined();
  return outcome?.message ?? '';
}

const signing =
  (more: Partial<UnsignedResult>) =>
  (honest: UnsignedResult): UnsignedResult => ({ ...honest, ...more });

function changed(bundle: { sha256: string; bytes: number }, patch = other.serve(Buffer.from('patch'))) {
  const changes: Result['changes'] = {
    ...{ kind: 'changed', base: '1'.repeat(40), head: '2'.repeat(40), tree: '3'.repeat(40) },
    files: [
      { path: 'a', encoding: 'utf8', status: 'M', oldMode: '100644', mode: '100644', insertions: 1, deletions: 0 },
    ],
    ...{ insertions: 1, deletions: 0, patch, bundle },
  };
  return signing({ changes });
}

describe('an honest executor', () => {
  it('has its result kept, with everything that it names', async () => {
    const bundle = other.serve(Buffer.from('bundle'));
    const artifact = { name: 'a.txt', ...other.serve(Buffer.from('artifact')) };
    const mirror = await ended({
      output: 'hello',
      result: (honest) => ({ ...changed(bundle)(honest), artifacts: [artifact], children: [other.child(honest)] }),
    });
    expect(mirror.state).toBe('completed');
    const received = asking.origin.result(mirror.id);
    expect(received).toMatchObject({ sha256: mirror.outcome?.result, standing: 'pinned', late: false });
    expect(received?.children[0]?.result.node).toBe(NODE_IDS.gamma);
    const read = async (sha256: string): Promise<string> =>
      Buffer.from(await asking.origin.readContent(mirror.id, sha256, 0, 100)).toString();
    expect([await read(bundle.sha256), await read(artifact.sha256)]).toEqual(['bundle', 'artifact']);
    expect(await read(received?.children[0]?.sha256 ?? '')).toMatch(/^\{"payload"/);
    await expect(asking.origin.readContent(mirror.id, sha256Hex('else'), 0, 1)).rejects.toMatchObject({
      code: 'NOT_FOUND',
    });
    expect((await asking.origin.verify(mirror.id)).children).toHaveLength(1);
  });

  it('has its result taken once the clocks agree, where its own is ahead', async () => {
    await other.close();
    other = await createTellingExecutor({ ...clock, nowMs: () => clock.nowMs() + 90_000 });
    await asking.close();
    asking = await createAsking();
    const ending = ended({});
    while (!asking.origin.list({ limit: 1 })[0]?.unreachable) await new Promise((resolve) => setImmediate(resolve));
    const { id = '', state } = asking.origin.list({ limit: 1 })[0] ?? {};
    expect([state === 'completed', asking.origin.result(id)]).toEqual([false, undefined]);
    clock.advance(60_000);
    expect((await ending).state).toBe('completed');
    expect(asking.origin.result(id)).toMatchObject({ standing: 'pinned', late: false });
  });

  it('is not asked for an envelope that came along', async () => {
    const { state } = await ended({ inline: ({ envelope }) => envelope });
    expect([state, other.fetched]).toEqual(['completed', []]);
  });

  it('may have nothing to show for a task that failed', async () => {
    const failure = { state: 'failed', code: 'EVIDENCE_FAILED', message: 'step `scan`' } as const;
    const { state, outcome } = await ended({
      result: signing({ outcome: failure, changes: { kind: 'uncollected', step: 'scan' } }),
    });
    expect([state, outcome?.code, outcome?.message]).toEqual(['failed', 'EVIDENCE_FAILED', 'step `scan`']);
  });
});

describe('an executor that lies', () => {
  it.each<[string, (signed: Uint8Array) => Uint8Array]>([
    ['with a flipped bit', (envelope) => envelope.map((byte, at) => (at === 200 ? byte ^ 1 : byte))],
    ['cut short', (envelope) => envelope.subarray(0, -1)],
    ['with a byte more', (envelope) => Buffer.concat([envelope, Buffer.from(' ')])],
  ])('sends an envelope %s', async (_, spoil) => {
    expect(await refusal({ inline: ({ envelope }) => spoil(envelope) })).toMatch(/envelope: it is not the one/);
  });

  it('serves an envelope with a flipped bit', async () => {
    const served: Tale['served'] = (envelope) => envelope.map((byte, at) => (at === 200 ? byte ^ 1 : byte));
    expect(await refusal({ served })).toMatch(/envelope: it is not what was signed/);
  });

  it('does not have the envelope that it names', async () => {
    const tale: Tale = { outcome: (honest) => ({ ...honest, result: '0'.repeat(64) }) };
    expect(await refusal(tale)).toMatch(/envelope: its node does not have it/);
  });

  it('names an envelope whose signature does not fit', async () => {
    let spoilt: Uint8Array = new Uint8Array();
    const inline: Tale['inline'] = ({ envelope }) => {
      const json = JSON.parse(Buffer.from(envelope).toString());
      const sig = Buffer.from(json.signatures[0].sig, 'base64');
      sig[0] = (sig[0] ?? 0) ^ 1;
      json.signatures[0].sig = sig.toString('base64');
      spoilt = Buffer.from(JSON.stringify(json));
      return spoilt;
    };
    const outcome: Tale['outcome'] = (honest) => ({ ...honest, result: sha256Hex(spoilt) });
    expect(await refusal({ inline, outcome })).toMatch(/signature: it does not fit/);
  });

  it.each<[string, Partial<UnsignedResult>, RegExp]>([
    ['for another task', { task: 'other-task' }, /task: it is about task `other-task`/],
    ['for another writ', { nonce: 'd'.repeat(32) }, /nonce/],
    ['without the chain', { chain: [], writs: [], origin: NODE_IDS.beta }, /chain: it is not this node/],
    ['of another session', { session: 'other' }, /chain/],
    [
      'with another transcript',
      { transcript: { sha256: sha256Hex('x'), bytes: 0 } },
      /transcript: it is not the output/,
    ],
    [
      'with a longer transcript',
      { transcript: { sha256: sha256Hex('x'), bytes: 1 } },
      /transcript: 1 bytes are signed/,
    ],
  ])('signs a result %s', async (_, more, why) => {
    expect(await refusal({ result: signing(more) })).toMatch(why);
  });

  it('signs other output than it tells of', async () => {
    const result = signing({ output: { stdoutBytes: 7, stderrBytes: 0 } });
    const outcome: Tale['outcome'] = (honest) => ({ ...honest, stdoutBytes: 0 });
    expect(await refusal({ result, outcome })).toMatch(/outcome: another outcome was signed/);
  });

  it('signs a failure and tells of a success', async () => {
    const failure = { state: 'failed', code: 'WORKER_FAILED', message: 'exited with status 1' } as const;
    const message = await refusal({
      result: signing({ outcome: failure }),
      outcome: ({ code: _, ...honest }) => ({ ...honest, state: 'completed' }),
    });
    expect(message).toMatch(/outcome: another outcome was signed/);
  });

  it('signs no transcript of output that came', async () => {
    expect(await refusal({ output: 'hello', result: signing({ transcript: null }) })).toMatch(/transcript/);
  });

  it('signs nothing', async () => {
    expect(await refusal({ outcome: ({ result: _, ...honest }) => honest })).toMatch(/its node has signed none/);
  });

  it('keeps the reason of its failure beside what is wrong with its evidence', async () => {
    const failure = { state: 'failed', code: 'WORKER_FAILED', message: 'exited with status 1' } as const;
    const { state, outcome } = await ended({
      result: signing({ outcome: failure, exit: { kind: 'exit', exitCode: 1 } }),
      outcome: ({ result: _, ...honest }) => honest,
    });
    expect([state, outcome?.code]).toEqual(['failed', 'WORKER_FAILED']);
    expect(outcome?.message).toMatch(/^exited with status 1; result is not verified/);
  });

  it('lacks a nested result', async () => {
    const child = { task: 'child', node: NODE_IDS.gamma, nonce: 'c'.repeat(32), envelope: sha256Hex('nowhere') };
    expect(await refusal({ result: signing({ children: [child] }) })).toMatch(
      /child\/child: its node does not have it/,
    );
  });

  it('sends another nested result than it has signed for', async () => {
    const result = (honest: UnsignedResult): UnsignedResult => {
      const [one, two] = [other.child(honest), other.child(honest, { generation: 2 })];
      other.serve(Buffer.from('else'), two.envelope);
      return { ...honest, children: [{ ...one, envelope: two.envelope }] };
    };
    expect(await refusal({ result })).toMatch(/child\/.*: it is not what was signed/);
  });

  it('has a nested result of a chain that is not its own', async () => {
    const result = (honest: UnsignedResult): UnsignedResult => ({
      ...honest,
      children: [{ ...other.child(honest), task: 'another' }],
    });
    expect(await refusal({ result })).toMatch(/task/);
  });

  it.each([
    ['another', 'bundlf', /bundle: it is not what was signed/],
    ['a longer', 'bundle and more', /bundle: it is longer than 6 bytes/],
    ['a shorter', 'bund', /bundle: it ends after 4 bytes of 6/],
  ])('sends %s bundle', async (_, sent, why) => {
    const bundle = { sha256: sha256Hex('bundle'), bytes: 6 };
    other.serve(Buffer.from(sent), bundle.sha256);
    expect(await refusal({ result: changed(bundle) })).toMatch(why);
    expect(await asking.evidence.content.read(sha256Hex(sent), 0, 1)).toBeUndefined();
  });

  it('takes nothing away that is kept for another task', async () => {
    const known = await asking.evidence.content.putBytes(Buffer.from('mine'));
    const bundle = { sha256: sha256Hex('else'), bytes: 4 };
    other.serve(Buffer.from('mine'), bundle.sha256);
    await refusal({ result: changed(bundle) });
    expect(Buffer.from(await asking.evidence.content.load(known.sha256, 4)).toString()).toBe('mine');
  });

  it('names an artifact that is too large, of which nothing is fetched', async () => {
    const artifacts = [{ name: 'big', sha256: sha256Hex('big'), bytes: 11 * 1024 * 1024 }];
    expect(await refusal({ result: signing({ artifacts }), inline: ({ envelope }) => envelope })).toMatch(
      /artifact\/big: it is larger/,
    );
    expect(other.fetched).toEqual([]);
  });

  it('sends a stream that never ends', async () => {
    const bundle = { sha256: sha256Hex('endless'), bytes: 1000 };
    other.serve(Buffer.alloc(5_000_000), bundle.sha256);
    let pieces = 0;
    other.pieceBytes = 100;
    other.onPiece = (sha256) => {
      if (sha256 === bundle.sha256) pieces += 1;
    };
    expect(await refusal({ result: changed(bundle), inline: ({ envelope }) => envelope })).toMatch(/longer than 1000/);
    expect(pieces).toBe(11);
  });

  it('sends an envelope that never ends', async () => {
    await asking.close();
    asking = await createAsking((kit) => ({ ...kit, limits: { ...kit.limits, maxEnvelopeBytes: 100 } }));
    expect(await refusal({})).toMatch(/envelope: it is longer than 100 bytes/);
    expect(await refusal({ inline: ({ envelope }) => envelope })).toMatch(/envelope: it is longer than 100 bytes/);
  });
});
