import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createControlClient } from '@writ/gateway/client';
import {
  createPerson,
  createTestMesh,
  enrollPerson,
  jsonLines,
  type MeshNode,
  type TestMesh,
  type TestPerson,
  until,
} from '@writ/testkit/mesh';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { describeWith } from '../support/require.ts';

const PASSPHRASE = 'four words of a test';

let mesh: TestMesh;
beforeAll(() => {
  mesh = createTestMesh();
});
afterAll(() => mesh.close(), 60_000);

/** What a node of its own agent may ask for is added to what `writ init` writes. */
const mayRequest = (text: string): string => text.replace('[self]\n', '[self]\nmay_request_lease = true\n');
const configOf = (node: MeshNode): string => readFileSync(node.configFile, 'utf8');
const codeOf = (call: Promise<unknown>): Promise<string> =>
  call.then(
    () => 'none',
    (error: { readonly code: string }) => error.code,
  );

describe('a node with an approver', () => {
  let node: MeshNode;
  let alice: TestPerson;
  beforeAll(async () => {
    node = await mesh.add('held', { start: false });
    writeFileSync(node.configFile, mayRequest(configOf(node)), { mode: 0o600 });
    await node.up();
    expect((await node.client().call('node_status', {})).unseparated).toBe(true);
    alice = await enrollPerson(node, 'alice');
  }, 120_000);

  const lease = { kind: 'lease_grant', peer: 'self', profile: 'repo-dev', duration: '1h' } as const;
  const leasesOf = async () => (await node.client().call('lease_list', {})).leases;

  it('says that person and agent are apart', async () => {
    expect((await node.client().call('node_status', {})).unseparated).toBe(false);
    expect((await node.writ('status')).stdout).not.toContain('unseparated');
  });

  it('takes nothing that gives more from the host token alone, and says what to type', async () => {
    const { kind: _, ...terms } = lease;
    await expect(node.client().call('lease_grant', terms)).rejects.toMatchObject({
      code: 'NOT_APPROVER',
      nextSteps: [expect.stringContaining('writ lease grant self repo-dev --for 1h')],
    });
    const client = node.client();
    expect(await codeOf(client.call('lease_renew', { lease: 'any', duration: '1h' }))).toBe('NOT_APPROVER');
    expect(await codeOf(client.call('policy_reload', { accept: true }))).toBe('NOT_APPROVER');
    expect(await codeOf(client.call('peer_confirm', { invite: 'any', accept: true }))).toBe('NOT_APPROVER');
    const second = await createPerson(node, 'mallory');
    expect(await codeOf(client.call('approver_enroll', second.enrolled))).toBe('NOT_APPROVER');
    expect(await leasesOf()).toEqual([]);
  });

  it('refuses the command line without a terminal, and asks nothing', async () => {
    for (const argv of [
      ['lease', 'grant', 'self', 'repo-dev', '--for', '1h'],
      ['approval', 'watch'],
      ['approver', 'enroll'],
    ]) {
      const refused = await node.writ(...argv);
      expect(refused.code, argv.join(' ')).toBe(3);
      expect(refused.stderr).toContain('NOT_APPROVER: an approver answers at a terminal');
    }
    expect((await node.client().call('approval_list', {})).approvals).toEqual([]);
  });

  it('lends what an approver signed, under the id of the question', async () => {
    const id = await alice.ask(lease);
    expect((await node.client().call('approval_show', { approval: id })).approval.preview).toContain(
      'lend profile: repo-dev',
    );
    expect(await alice.answer(id, 'approve')).toMatchObject({ decided: true, approval: { decided_by_label: 'alice' } });
    expect(await leasesOf()).toMatchObject([{ id, profile: 'repo-dev', issued_by: alice.id }]);
    expect((await node.writ('lease', 'show', id)).stdout).toContain('issued by alice');
    await node.client().call('lease_revoke', { lease: id });
  });

  it('takes one answer of two, and tells the other who was faster', async () => {
    const bob = await createPerson(node, 'bob');
    const { enrolled } = bob;
    const { id, label, public_key } = enrolled;
    const question = await alice.ask({ kind: 'approver_enroll', id, label, public_key });
    expect((await bob.answer(question, 'approve')).check).toBe('approver');
    expect((await alice.answer(question, 'approve')).decided).toBe(true);

    const asked = await alice.ask(lease);
    const answers = await Promise.all([alice.answer(asked, 'approve'), bob.answer(asked, 'deny')]);
    const [winner] = answers.filter(({ decided }) => decided);
    const [loser] = answers.filter(({ decided }) => !decided);
    expect(loser).toMatchObject({ check: 'pending', code: 'NOT_PENDING', decided_by: winner?.approval?.decided_by });
    expect(await leasesOf()).toHaveLength(winner?.approval?.state === 'approved' ? 1 : 0);
    for (const { id: lent } of await leasesOf()) await node.client().call('lease_revoke', { lease: lent });

    const removal = await bob.ask({ kind: 'approver_remove', approver: 'bob' });
    expect((await bob.answer(removal, 'approve')).decided).toBe(true);
    expect((await bob.answer(await alice.ask(lease), 'deny')).check).toBe('approver');
    expect(
      await codeOf(node.client().call('approval_ask', { about: { kind: 'approver_remove', approver: 'bob' } })),
    ).toBe('NOT_FOUND');
  });

  it('changes nothing for a wrong id, a terminal or a signature over another answer', async () => {
    const client = node.client();
    const [{ id } = { id: '' }] = (await client.call('approval_list', {})).approvals;
    const before = (await client.call('approval_show', { approval: id })).approval;
    const { statement } = await client.call('approval_statement', { approval: id, answer: 'approve', scope: 'once' });
    const proof = { kind: 'passphrase', approver: alice.id, signature: 'A'.repeat(86) } as const;
    const check = async (change: object) =>
      (await client.call('approval_decide', { statement: { ...statement, ...change }, proof })).check;
    expect(await check({ approval: 'another' })).toBe('id');
    expect(await check({ node: 'another' })).toBe('id');
    expect(await check({ digest: 'a'.repeat(64) })).toBe('digest');
    expect(await check({ scope: 'session' })).toBe('scope');
    expect(await check({})).toBe('approver');
    expect((await client.call('approval_decide', { statement, proof: { kind: 'terminal' } })).check).toBe('approver');
    expect((await client.call('approval_show', { approval: id })).approval).toEqual(before);
    expect((await alice.answer(id, 'deny')).decided).toBe(true);
    expect(await leasesOf()).toEqual([]);
  });

  it('lets a widening reload wait for the approver, and a restart is no way around', async () => {
    const text = configOf(node).replace('[node]', '[leases]\nmax = "48h"\n\n[node]');
    node.replaceConfig(text);
    const waiting = await node.client().call('policy_reload', {});
    expect(waiting.parked).toMatchObject([{ effect: 'gains', what: 'lends leases for 2d' }]);
    const asked = await alice.ask({ kind: 'policy' });
    await node.down();
    await node.up();
    expect((await node.client().call('policy_status', {})).parked).toHaveLength(1);

    // The file does not load by then: nothing would come of a yes, which is not taken, and whoever gives it hears why.
    node.replaceConfig('[node');
    await node.client().call('policy_reload', {});
    expect(await alice.answer(asked, 'approve')).toMatchObject({
      ...{ decided: false, check: 'policy', code: 'CONFIG_INVALID' },
      message: expect.stringContaining('brings nothing into force'),
      next_steps: [expect.stringContaining('writ policy status'), expect.stringContaining('writ policy reload')],
    });
    expect((await node.client().call('approval_show', { approval: asked })).approval.state).toBe('pending');
    // The file says something else by then: the yes was not to that.
    node.replaceConfig(text.replace('48h', '72h'));
    await node.client().call('policy_reload', {});
    expect((await alice.answer(asked, 'approve')).check).toBe('digest');
    node.replaceConfig(text);
    await node.client().call('policy_reload', {});
    expect((await alice.answer(await alice.ask({ kind: 'policy' }), 'approve')).decided).toBe(true);
    expect((await node.client().call('policy_reload', {})).parked).toEqual([]);
    expect(await codeOf(alice.ask({ kind: 'policy' }))).toBe('CONFLICT');
    await node.down();
    await node.up();
    expect((await node.client().call('policy_status', {})).parked).toEqual([]);
  });

  it('asks for a lease once under a key, across calls without a session, and says what became of it', async () => {
    const request = (...more: string[]) =>
      node.writ('lease', 'request', 'repo-dev', '--key', 'once', '--json', '--for', ...more);
    const first = await request('1h');
    expect(first).toMatchObject({ code: 4, json: { asked: true, state: 'pending' } });
    expect((await request('1h', '--reason', 'again')).json).toEqual(first.json);
    expect(await request('2h')).toMatchObject({ code: 3, json: { error: { code: 'WRIT_REPLAYED' } } });
    const { approval = '' } = first.json as { approval?: string };
    expect((await alice.answer(approval, 'approve')).decided).toBe(true);
    expect(await request('1h')).toMatchObject({ code: 0, json: { approval, state: 'approved' } });
    expect(await leasesOf()).toMatchObject([{ id: approval }]);
    await node.client().call('lease_revoke', { lease: approval });
    const { session } = (await node.client().call('approval_show', { approval })).approval;
    expect(await node.client().call('session_end', { session })).toMatchObject({ ended: true });
  });

  it('answers NOT_FOUND, to yes and to no, for a session that ends while it is answered', async () => {
    for (const said of ['approve', 'deny'] as const) {
      const { credential, session } = await node.client().call('session_start', { agent: 'fixer' });
      const inSession = createControlClient({
        socketPath: join(node.home, 'run', 'control.sock'),
        token: readFileSync(join(node.home, 'run', 'host-token'), 'utf8').trim(),
        session: credential,
      });
      const { approval = '' } = await inSession.call('request_lease', { profile: 'repo-dev', duration: '1h' });
      const shown = await node.client().call('approval_show', { approval });
      expect(shown.approval).toMatchObject({ session, agent: 'fixer', requested_by: 'self', state: 'pending' });
      const { statement } = await node
        .client()
        .call('approval_statement', { approval, answer: said, ...(said === 'approve' ? { scope: 'once' } : {}) });
      expect(statement.answer).toBe(said);
      expect(await inSession.call('session_end', {})).toMatchObject({ session, ended: true });
      expect(await alice.answer(approval, said)).toMatchObject({ decided: false, check: 'session', code: 'NOT_FOUND' });
      expect((await node.client().call('approval_show', { approval })).approval.state).toBe('cancelled');
      await expect(inSession.call('whoami', {})).rejects.toMatchObject({ code: 'TOKEN_INVALID' });
    }
    expect(await leasesOf()).toEqual([]);
  });

  it('keeps what an agent asks for within its own session, by its credential alone', async () => {
    const started = await node.writ('session', 'start', '--agent', 'fixer');
    expect(started).toMatchObject({ code: 0, stdout: expect.stringMatching(/^wst_[\w-]{43}\n$/) });
    const list = await node.client().call('session_list', {});
    expect(list.sessions).toMatchObject([{ agent: 'fixer' }]);
    const [open] = list.sessions;
    expect((await node.writ('session', 'end', open?.session ?? '')).code).toBe(0);
    expect((await node.writ('session', 'end', 'person')).code).toBe(2);
  });
});

describeWith(['python3'], 'an approver at a terminal', () => {
  let node: MeshNode;
  beforeAll(async () => {
    node = await mesh.add('typed');
  }, 120_000);

  it('enrols with a passphrase that is typed twice and never shown, in a file for its owner alone', async () => {
    const enrolling = node.atTerminal('approver', 'enroll', '--label', 'alice');
    await enrolling.says(/new passphrase: $/);
    enrolling.type(`${PASSPHRASE}\r`);
    await enrolling.says(/the same again: $/);
    enrolling.type(`${PASSPHRASE}\r`);
    const done = await enrolling.ended;
    expect(done.code).toBe(0);
    expect(done.stdout).toContain('approver alice (ap-');
    expect(done.stdout).not.toContain(PASSPHRASE);
    expect(done.stdout).toMatch(/ echo /);
    const folder = join(node.home, 'approvers');
    const [file = ''] = readdirSync(folder);
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    expect(statSync(join(folder, file)).mode & 0o777).toBe(0o600);
  });

  it('refuses two that differ, and leaves no key', async () => {
    const enrolling = node.atTerminal('approver', 'enroll', '--label', 'bob');
    await enrolling.says(/new passphrase: $/);
    enrolling.type('one passphrase\r');
    await enrolling.says(/the same again: $/);
    enrolling.type('another one\r');
    expect(await enrolling.ended).toMatchObject({
      code: 2,
      stdout: expect.stringContaining('the two passphrases differ'),
    });
    expect(readdirSync(join(node.home, 'approvers'))).toHaveLength(1);
  });

  it('sees all of what would be lent before the passphrase is asked, and a wrong one gives nothing', async () => {
    const trying = node.atTerminal('lease', 'grant', 'self', 'repo-dev', '--for', '8h');
    for (let asked = 1; asked <= 3; asked += 1) {
      await trying.says(new RegExp(`(passphrase of alice: [\\s\\S]*){${asked}}$`));
      trying.type('not the passphrase\r');
    }
    expect(await trying.ended).toMatchObject({ code: 3, stdout: expect.stringContaining('NOT_APPROVER') });
    const lending = node.atTerminal('lease', 'grant', 'self', 'repo-dev', '--for', '8h', '--uses', '3');
    const [shown] = await lending.says(/lend profile: repo-dev[\s\S]*uses: 3[\s\S]*passphrase of alice: $/);
    expect(shown).toContain('for: 8h from the yes on');
    lending.type(`${PASSPHRASE}\r`);
    expect((await lending.ended).code).toBe(0);
    expect((await node.client().call('lease_list', {})).leases).toMatchObject([{ max_uses: 3 }]);
    expect((await node.client().call('approval_list', {})).approvals).toEqual([]);
  }, 120_000);

  it('lends until the moment that it was shown, and not as long from the yes on', async () => {
    const later = new Date(Math.ceil(Date.now() / 60_000) * 60_000 + 7_200_000);
    const clock = later.toLocaleTimeString('en-GB', { hour: '2-digit', minute: '2-digit' });
    const lending = node.atTerminal('lease', 'grant', 'self', 'repo-dev', '--for', `until ${clock}`);
    const [shown = ''] = await lending.says(/lend profile: repo-dev[\s\S]*passphrase of alice: $/);
    const [, end = ''] = /until: (\S+), whenever the yes is given/.exec(shown) ?? [];
    expect(end).toBe(later.toISOString());
    lending.type(`${PASSPHRASE}\r`);
    expect((await lending.ended).code).toBe(0);
    const { leases } = await node.client().call('lease_list', {});
    const lent = leases.filter(({ expires_at_ms: endsAtMs }) => endsAtMs === later.getTime());
    expect(lent).toHaveLength(1);
    await node.client().call('lease_revoke', { lease: lent[0]?.id ?? '' });
  }, 120_000);

  it('answers nothing with Ctrl-C, and gets the terminal back with its echo', async () => {
    const lending = node.atTerminal('lease', 'grant', 'self', 'repo-dev', '--for', '1h');
    await lending.says(/passphrase of alice: $/);
    lending.type('half a pass\u0003');
    const done = await lending.ended;
    expect(done).toMatchObject({ code: 1, stdout: expect.stringContaining('CANCELLED') });
    expect(done.stdout).toMatch(/ echo /);
    expect((await node.client().call('lease_list', {})).leases).toHaveLength(1);
    expect((await node.client().call('approval_list', {})).approvals).toEqual([]);
  });

  /** At another terminal. */
  async function deny(id = ''): Promise<void> {
    const denying = node.atTerminal('approval', 'deny', id);
    await denying.says(/passphrase of alice: $/);
    denying.type(`${PASSPHRASE}\r`);
    expect((await denying.ended).code).toBe(0);
  }

  it('watches with an open key and is asked about each question', async () => {
    node.replaceConfig(mayRequest(configOf(node)));
    const accepting = node.atTerminal('policy', 'reload', '--accept');
    await accepting.says(/it gives: [\s\S]*passphrase of alice: $/);
    accepting.type(`${PASSPHRASE}\r`);
    expect((await accepting.ended).code).toBe(0);

    const watching = node.atTerminal('approval', 'watch', '--json');
    await watching.says(/passphrase of alice: $/);
    watching.type(`${PASSPHRASE}\r`);
    await watching.says(/waiting for questions/);
    const ask = () =>
      node.writ('lease', 'request', 'repo-dev', '--for', '1h', '--reason', 'to mend \u202e it', '--json');
    const first = await ask();
    expect(first).toMatchObject({ code: 4, json: { asked: true } });
    const { approval = '' } = first.json as { approval?: string };
    await watching.says(/reason, as it says: to mend \\u\{202e\} it[\s\S]*y \(once\), n, later: $/);
    watching.type('y\r');
    await watching.says(/\napproved\r?\n/);
    expect((await node.client().call('lease_show', { lease: approval })).lease.live).toBe(true);
    await ask();
    await watching.says(/approved[\s\S]*y \(once\), n, later: $/);
    watching.type('n\r');
    await until('the no is there', async () => {
      const { approvals } = await node.client().call('approval_list', { all: true });
      return approvals[0]?.state === 'denied';
    });
    await ask();
    await watching.says(/denied[\s\S]*y \(once\), n, later: $/);
    watching.type('later\r');
    await watching.says(/left for later[\s\S]*1 left for later; Ctrl-C to end$/);
    const [left] = (await node.client().call('approval_list', {})).approvals;
    await deny(left?.id);
    await watching.says(/Klease \S+ is denied by alice\r?\n[\s\S]*waiting for questions( for \S+)?; Ctrl-C to end$/);

    // The yes that is being typed when another person has answered is no answer to the next question.
    await ask();
    await watching.says(/denied by alice[\s\S]*y \(once\), n, later: $/);
    watching.type('y');
    const [open] = (await node.client().call('approval_list', {})).approvals;
    await deny(open?.id);
    await watching.says(/\(it is denied by alice; Enter to go on\) $/);
    const { approval: next = '' } = (await ask()).json as { approval?: string };
    watching.type('\r');
    await watching.says(/Enter to go on[\s\S]*y \(once\), n, later: $/);
    expect((await node.client().call('approval_show', { approval: next })).approval.state).toBe('pending');
    watching.type('n\r');
    await watching.says(/Enter to go on[\s\S]*denied\r?\n[\s\S]*Ctrl-C to end$/);
    watching.type('\u0003');
    const done = await watching.ended;
    expect(done.code).toBe(0);
    expect(done.stdout).toMatch(/ echo /);
  }, 120_000);

  it('tells who answered to whoever comes later', async () => {
    const { approvals } = await node.client().call('approval_list', { all: true });
    const done = await node.writ('approval', 'approve', approvals[0]?.id ?? '');
    expect(done.code).toBe(3);
    expect(done.stderr).toContain('NOT_PENDING: it is denied already by alice');
    expect((await node.writ('approval', 'deny', 'none')).code).toBe(2);
  });

  it('pairs with a yes at each end, to what both screens show', async () => {
    const other = await mesh.add('other');
    const person = await enrollPerson(other);
    const inviting = node.atTerminal('peer', 'invite', '--profiles', 'query');
    const [, code = ''] = await inviting.says(/writ peer join (\S+)/);
    const joining = other.client().stream('peer_join', { code });
    const proved = await joining.next();
    const words = proved.value?.kind === 'proved' ? proved.value.words : '';
    await inviting.says(new RegExp(`words of this exchange: ${words} [\\s\\S]*passphrase of alice: $`));
    expect((await node.client().call('peer_list', {})).peers).toEqual([]);
    inviting.type(`${PASSPHRASE}\r`);
    const asked = await joining.next();
    if (asked.value?.kind !== 'asked') throw new Error('was not asked');
    expect((await other.client().call('peer_list', {})).peers).toEqual([]);
    expect((await person.answer(asked.value.approval, 'approve')).decided).toBe(true);
    expect((await joining.next()).value).toMatchObject({ kind: 'paired', profiles: ['query'] });
    await joining.next();
    expect((await inviting.ended).code).toBe(0);
    expect((await node.client().call('peer_list', {})).peers).toMatchObject([{ label: 'other', profiles: ['query'] }]);
  }, 120_000);
});

describe('a node that takes a terminal for an approver', () => {
  it('is unseparated, and takes the word of whoever has the host token and says so', async () => {
    const node = await mesh.add('loose', { start: false });
    writeFileSync(node.configFile, `${configOf(node)}\n[approvals]\nmode = "terminal"\n`, { mode: 0o600 });
    await node.up();
    const client = node.client();
    expect((await client.call('node_status', {})).unseparated).toBe(true);
    const terms = { peer: 'self', profile: 'repo-dev', duration: '1h' };
    expect(await codeOf(client.call('lease_grant', terms))).toBe('NOT_APPROVER');
    const { approval } = await client.call('approval_ask', { about: { kind: 'lease_grant', ...terms } });
    const said = { approval: approval.id, answer: 'approve', scope: 'once' } as const;
    const { statement } = await client.call('approval_statement', said);
    expect(await client.call('approval_decide', { statement, proof: { kind: 'terminal' } })).toMatchObject({
      decided: true,
    });
    expect((await client.call('lease_show', { lease: approval.id })).lease.issued_by).toBe('terminal');
    expect(jsonLines((await node.writ('lease', 'list', '--json')).stdout)).toHaveLength(1);
  }, 120_000);
});
