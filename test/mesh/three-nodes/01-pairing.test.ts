import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { createTestMesh, executingConfig, jsonLines, type MeshNode, makeRepository } from '@writ/testkit/mesh';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const mesh = createTestMesh();
let alpha: MeshNode;
let beta: MeshNode;
let gamma: MeshNode;

beforeAll(async () => {
  const app = makeRepository(join(mesh.dir, 'app'));
  const config = (listen: string) => executingConfig({ name: 'beta', listen, workspaces: { app } });
  [alpha, beta, gamma] = await Promise.all([mesh.add('alpha'), mesh.add('beta', { config }), mesh.add('gamma')]);
}, 120_000);
afterAll(() => mesh.close(), 60_000);

const labels = async (node: MeshNode): Promise<readonly string[]> =>
  (await node.client().call('peer_list', {})).peers.map((peer) => peer.label);

/** What a node has stored of others: peers in its configuration, pins. */
const stored = async (node: MeshNode) => ({
  peers: await labels(node),
  config: node.config(),
  pins: existsSync(join(node.home, 'pins')) ? readdirSync(join(node.home, 'pins')) : [],
});

/** An invite of beta that nobody has used, and its end. */
async function openInvite() {
  const inviting = beta.start('peer', 'invite', '--profiles', 'query', '--json');
  const [, code = ''] = await inviting.says(/"code":"([^"]+)"/);
  return { inviting, code };
}

/** Ctrl-C at the inviting screen. */
async function withdraw(inviting: ReturnType<MeshNode['start']>): Promise<void> {
  inviting.kill('SIGINT');
  await inviting.ended;
}

describe('a code that is none', () => {
  it.each([['garbage'], ['writ1-'], ['writ1-AAAA'], ['-x'], ['writ1-\u0000\u202e']])(
    'is refused with what to do, and nothing is stored: %j',
    async (code) => {
      const before = await stored(alpha);
      // A process takes no NUL among its arguments; the control socket does.
      const refused = code.includes('\0')
        ? alpha.client().stream('peer_join', { code }).next()
        : alpha.writ('peer', 'join', '--json', '--', code);
      if (code.includes('\0')) await expect(refused).rejects.toMatchObject({ code: 'INVITE_INVALID' });
      else
        expect(await refused).toMatchObject({
          code: 3,
          json: { error: { code: 'INVITE_INVALID', nextSteps: [expect.any(String)] } },
        });
      expect(await stored(alpha)).toEqual(before);
    },
  );

  it('is refused where one letter of a real one is another, and the invite stays good for nobody else', async () => {
    const { inviting, code } = await openInvite();
    const at = code.length - 6;
    const altered = `${code.slice(0, at)}${code[at] === 'a' ? 'b' : 'a'}${code.slice(at + 1)}`;
    const before = [await stored(alpha), await stored(beta)];
    const refused = await alpha.writ('peer', 'join', altered, '--json');
    expect(refused.code).not.toBe(0);
    expect(refused.json).toMatchObject({ error: { code: expect.stringMatching(/^(INVITE_INVALID|UNREACHABLE)$/) } });
    expect([await stored(alpha), await stored(beta)]).toEqual(before);
    await withdraw(inviting);
  });
});

describe('an invite', () => {
  it('that was withdrawn serves nobody', async () => {
    const { inviting, code } = await openInvite();
    await withdraw(inviting);
    const refused = await alpha.writ('peer', 'join', code, '--json');
    expect(refused).toMatchObject({ code: 3, json: { error: { code: 'INVITE_INVALID' } } });
    expect(await labels(beta)).toEqual([]);
  });

  it('that the person answers with no stores nothing at either end', async () => {
    const before = [await stored(alpha), await stored(beta)];
    const { inviting, code } = await openInvite();
    const joining = alpha.start('peer', 'join', code, '--json');
    await inviting.says(/"proved"/);
    inviting.type('no\n');
    const [atBeta, atAlpha] = [await inviting.ended, await joining.ended];
    expect(atBeta.code).toBe(3);
    expect(jsonLines(atBeta.stdout).at(-1)).toMatchObject({ kind: 'refused' });
    expect(atAlpha.code).toBe(3);
    expect(jsonLines(atAlpha.stdout).at(-1)).toMatchObject({ error: { code: 'INVITE_INVALID' } });
    expect([await stored(alpha), await stored(beta)]).toEqual(before);
  });

  it('shows both persons the same words and pairs after a yes', async () => {
    const inviting = beta.start('peer', 'invite', '--profiles', 'query,repo-dev', '--workspaces', 'app');
    const [, code = ''] = await inviting.says(/(writ1-\S+)/);
    const joining = alpha.start('peer', 'join', code);
    inviting.type('yes\n');
    const [atBeta, atAlpha] = [await inviting.ended, await joining.ended];
    expect(atBeta).toMatchObject({ code: 0, stderr: expect.stringContaining('paired with alpha') });
    expect(atAlpha).toMatchObject({ code: 0, stderr: expect.stringContaining('paired with beta') });
    const words = (text: string) => /same words:\n\s+(\S.*)\n/.exec(text)?.[1];
    expect(words(atAlpha.stderr)?.split(/[ -]+/).length).toBeGreaterThanOrEqual(4);
    expect(words(atAlpha.stderr)).toBe(words(atBeta.stderr));
    // What may be asked where, and not the other way round.
    const [seenByAlpha, seenByBeta] = [
      (await alpha.client().call('peer_list', {})).peers,
      (await beta.client().call('peer_list', {})).peers,
    ];
    expect(seenByAlpha).toMatchObject([{ label: 'beta', profiles: [], outbound_profiles: ['query', 'repo-dev'] }]);
    expect(seenByBeta).toMatchObject([
      { label: 'alpha', profiles: ['query', 'repo-dev'], workspaces: ['app'], outbound_profiles: [] },
    ]);
  });

  it('that was used serves nobody again, not even its user', async () => {
    const { inviting, code } = await openInvite();
    const joining = gamma.start('peer', 'join', code, '--json');
    await inviting.says(/"proved"/);
    inviting.type('no\n');
    await Promise.all([inviting.ended, joining.ended]);
    expect(await gamma.writ('peer', 'join', code, '--json')).toMatchObject({
      code: 3,
      json: { error: { code: 'INVITE_INVALID' } },
    });
    expect(await labels(gamma)).toEqual([]);
    // Whoever is paired already is told that, and no secret is tried.
    expect(await alpha.writ('peer', 'join', code, '--json')).toMatchObject({
      code: 2,
      json: { error: { code: 'CONFLICT' } },
    });
  });

  it('that two nodes redeem at once pairs at most one of them', async () => {
    const late = await mesh.add('late');
    const { inviting, code } = await openInvite();
    const joining = [gamma, late].map((node) => node.start('peer', 'join', code, '--json'));
    await inviting.says(/"proved"/);
    inviting.type('yes\n');
    const atBeta = await inviting.ended;
    const ends = await Promise.all(joining.map((one) => one.ended));
    expect(atBeta.code).toBe(0);
    expect(ends.map((end) => end.code).sort()).toEqual([0, 3]);
    const knowing = await Promise.all([gamma, late].map(labels));
    expect(knowing.filter((known) => known.includes('beta'))).toHaveLength(1);
    expect((await labels(beta)).filter((label) => label !== 'alpha')).toHaveLength(1);
  });
});
