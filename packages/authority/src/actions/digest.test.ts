import { describe, expect, it } from 'vitest';
import { digestAction } from './digest.ts';
import type { Action } from './types.ts';

const ACTION: Action = {
  request: {
    ...{ origin: 'o', session: 's', agent: 'a', argv: ['tool', 'x'], inner: [['cp', 'y']], cwd: '/w', profile: 'ops' },
    ...{ runner: 'shell', network: 'deny', isolation: 'none', stdin: 'aGk=', target: 't' },
  },
  programs: [{ path: '/bin/tool', sha256: '1', sizeBytes: 1 }],
  files: [{ path: '/w/x', sha256: '2', sizeBytes: 2 }],
  directory: { path: '/w', device: '1', inode: '2', born: '3' },
  environment: [{ name: 'A', value: '1' }],
};
const request = (change: Partial<Action['request']>): Action => ({
  ...ACTION,
  request: { ...ACTION.request, ...change },
});
const { stdin: _, ...withoutInput } = ACTION.request;
const { target: __, ...withoutTarget } = ACTION.request;

/** Each differs from the first in one part; none may look like another. */
const CHANGED: readonly Action[] = [
  ...[{ origin: 'x' }, { session: 'x' }, { agent: 'x' }, { argv: ['tool'] }, { argv: ['toolx'] }, { inner: [] }].map(
    request,
  ),
  ...[{ inner: [['cp'], ['y']] }, { profile: 'x' }, { runner: 'x' }, { isolation: 'required' } as const].map(request),
  ...[{ network: 'allow' } as const, { network: ['deny'] }, { network: [] }, { stdin: '' }, { target: '' }].map(
    request,
  ),
  { ...ACTION, request: withoutInput },
  { ...ACTION, request: withoutTarget },
  { ...ACTION, programs: [] },
  { ...ACTION, files: [] },
  { ...ACTION, programs: ACTION.files, files: ACTION.programs },
  ...[{ path: '/bin/x' }, { sha256: 'x' }, { sizeBytes: 9 }].flatMap((change) => [
    { ...ACTION, programs: ACTION.programs.map((file) => ({ ...file, ...change })) },
    { ...ACTION, files: ACTION.files.map((file) => ({ ...file, ...change })) },
  ]),
  ...[{ path: '/x' }, { device: 'x' }, { inode: 'x' }, { born: 'x' }].map((change) => ({
    ...{ ...ACTION, directory: { ...ACTION.directory, ...change } },
  })),
  { ...ACTION, environment: [] },
  { ...ACTION, environment: [{ name: 'B', value: '1' }] },
  { ...ACTION, environment: [{ name: 'A', value: '2' }] },
  { ...ACTION, environment: [{ name: 'A', sealed: '1' }] },
];

describe('the digest of an action', () => {
  it('is another one for another part, whichever it is', () => {
    const digests = [ACTION, ...CHANGED].map(digestAction);
    expect(new Set(digests).size).toBe(CHANGED.length + 1);
    for (const digest of digests) expect(digest).toMatch(/^[0-9a-f]{64}$/);
  });

  it('is what it was when its form was last written anew, so that a question which waits outlives an upgrade', () => {
    const { stdin: _in, target: _at, ...rest } = ACTION.request;
    const plain = digestAction({ ...ACTION, request: { ...rest, network: ['h:1'] } });
    expect([digestAction(ACTION), plain]).toEqual([
      '887f436d9fdbc2001f21ddc931fcbb11cf5845f0088bf756be5f787fcc5619cb',
      '9ad71fad6fca20f8cebea5d7f014d5d79c4c5854618a2341c0a9957b0ebfcd05',
    ]);
  });

  it('is the same for the same, whatever else is known of it', () => {
    expect(digestAction(JSON.parse(JSON.stringify(ACTION)))).toBe(digestAction(ACTION));
    // Where it runs is bound by the directory, and not by the name that leads there.
    expect(digestAction(request({ cwd: '/link' }))).toBe(digestAction(ACTION));
  });
});
