import { issueWrit, type VerifiedChain, type WritClaims } from '@writ/identity';
import type { TaskSpec } from '@writ/task-store';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createEvidenceBench, type EvidenceBench } from '../testing/evidence-bench.ts';
import type { SubmitRequest } from '../types.ts';

const QUERY: TaskSpec = { input: { kind: 'argv', argv: ['true'] } };
const NONCE = 'ab'.repeat(16);
const REPLAYED = expect.objectContaining({ code: 'WRIT_REPLAYED' });

let bench: EvidenceBench;
beforeEach(async () => {
  bench = await createEvidenceBench();
});
afterEach(() => bench.close());

const request = (task: string): SubmitRequest => bench.foreign(task, QUERY, { nonce: NONCE });
const submit = (what: SubmitRequest): Promise<unknown> => bench.node.executor.submit(what);

it('a nonce is for one request, also after a restart, until its writ has ended', async () => {
  await submit(request('t1'));
  await expect(submit(request('t2'))).rejects.toEqual(REPLAYED);
  await bench.restart();
  await expect(submit(request('t3'))).rejects.toEqual(REPLAYED);
  expect(bench.node.executor.get('t3')).toBeUndefined();
  bench.clock.advance(2 * 3_600_000);
  expect(await submit(request('t4'))).toMatchObject({ accepted: true });
});

it('the same request under the same nonce is the same task, under a writ that was issued again too', async () => {
  await submit(request('t1'));
  bench.clock.advance(5000);
  expect(await submit(request('t1'))).toMatchObject({ accepted: true, task: { id: 't1' } });
});

it('a nonce of one sender is nothing to another', async () => {
  await submit(request('t1'));
  const other = request('t2');
  const { chain } = other;
  if (!chain) throw new Error('no chain');
  const last = { ...chain.last, iss: 'wn-other' };
  const moved: VerifiedChain = { ...chain, hops: [last], last };
  await expect(submit({ ...other, chain: moved })).resolves.toBeDefined();
});

it('what was refused is remembered too', async () => {
  const refused = bench.foreign('t1', { ...QUERY, profile: 'nothing' }, { nonce: NONCE });
  expect(await submit(refused)).toMatchObject({ accepted: false });
  await expect(submit(request('t2'))).rejects.toEqual(REPLAYED);
});

it('a writ that lives longer than a day is refused, whoever in the chain has issued it', async () => {
  const living = (lifeS: number): SubmitRequest => {
    const made = bench.foreign(`t${lifeS}`, QUERY);
    if (!made.chain) throw new Error('no chain');
    const last: WritClaims = { ...made.chain.last, exp: made.chain.last.iat + lifeS };
    return { ...made, chain: { ...made.chain, hops: [last], last }, writs: [issueWrit(bench.alpha, last)] };
  };
  expect(await submit(living(86_400))).toMatchObject({ accepted: true });
  await expect(submit(living(86_401))).rejects.toMatchObject({ code: 'WRIT_INVALID' });
});
