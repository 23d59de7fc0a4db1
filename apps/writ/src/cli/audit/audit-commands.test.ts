import { copyFileSync, existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import BetterSqlite3 from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type ComposedNode, startComposedNode } from '../../testing/composed-node.ts';
import { runWrit } from '../testing/fake-node.ts';

let node: ComposedNode;
beforeEach(async () => {
  node = await startComposedNode();
});
afterEach(() => node.remove());

const writ = (...argv: string[]) => runWrit(node.home.root, argv);
const kept = (): string => join(node.home.root, 'kept-checkpoint');

/** What somebody does who can write the file of the database. */
function changeRows(statement: string): void {
  const handle = new BetterSqlite3(node.home.databaseFile);
  for (const name of ['update', 'delete', 'replace']) handle.exec(`DROP TRIGGER audit_no_${name}`);
  handle.exec(statement);
  handle.close();
}

describe.each(['runs', 'does not run'])('the audit log where the node %s', (how) => {
  beforeEach(async () => {
    if (how === 'does not run') await node.running.close(0);
  });

  it('is shown, each entry with the proof that the newest checkpoint counts it', async () => {
    const tail = await writ('audit', 'tail', '--no-follow', '--json');
    const entries = tail.out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(entries[0]).toMatchObject({ seq: 1, action: 'policy.reloaded' });
    const shown = await writ('audit', 'show', '1', '--json');
    expect(JSON.parse(shown.out)).toMatchObject({ entry: entries[0], proof: { index: 0 } });
    expect((await writ('audit', 'show', '1')).out).toMatch(/^1 {2}\S+ {2}policy.reloaded[\s\S]*proved {3}entry 1 of/);
    const proof = await writ('audit', 'show', '1', '--proof');
    expect(proof.out).toMatch(/^c2sp\.org\/tlog-proof@v1\nindex 0\n[A-Za-z0-9+/=\n]+\nwn-\S+\n\d+\n\S+\n\n— wn-/);
  });

  it('is verified, also against a checkpoint that is kept elsewhere', async () => {
    await writ('audit', 'export', '--only-checkpoint', '--output', kept());
    const { code, out } = await writ('audit', 'verify', '--checkpoint', kept(), '--json');
    expect(JSON.parse(out)).toMatchObject({ ok: true, problems: [], notes: [], kept: [{ holds: true }] });
    expect(code).toBe(0);
    expect((await writ('audit', 'verify')).out).toMatch(/^verified: the audit log of this node, wn-/);
  });

  it('is exported for somebody who has no node', async () => {
    const first = join(node.home.root, 'first.jsonl');
    const { out } = await writ('audit', 'export', '--from', '1', '--to', '2', '--output', first);
    expect(out).toContain(`check it anywhere with: writ audit verify ${first}`);
    expect(statSync(first).mode & 0o777).toBe(0o600);
    const elsewhere = await runWrit(join(node.home.root, 'no', 'home'), ['audit', 'verify', first, '--json']);
    expect(JSON.parse(elsewhere.out)).toMatchObject({
      ok: true,
      written: 2,
      notes: [expect.stringMatching(/does not know/)],
    });
    writeFileSync(first, readFileSync(first, 'utf8').replace('"seq":2', '"seq":3'));
    const changed = await runWrit(join(node.home.root, 'no', 'home'), ['audit', 'verify', first]);
    expect(changed.out).toMatch(/^NOT VERIFIED: .*\n[\s\S]*bundle, entry 3: extra/);
    expect(changed.code).toBe(7);
    writeFileSync(first, readFileSync(first, 'utf8').replace('"checkpoint":"', '"checkpoint":"x'));
    expect((await writ('audit', 'verify', first)).code).toBe(7);
    writeFileSync(first, readFileSync(first, 'utf8').replace('"checkpoint"', '"checkqoint"'));
    const headless = await writ('audit', 'verify', first);
    expect(headless.out).toMatch(
      /^NOT VERIFIED: the audit log of nobody knows whom\n[\s\S]*bundle: unreadable: the first/,
    );
    expect(headless.code).toBe(7);
  });

  it('is verified to its last line break', async () => {
    const file = join(node.home.root, 'ends.jsonl');
    await writ('audit', 'export', '--output', file);
    const text = readFileSync(file, 'utf8');
    const [head = '', ...entries] = text.split('\n');
    const others = [
      text.replaceAll('\n', '\r'),
      text.replaceAll('\n', '\r\n'),
      `${head}\n${entries.join('\r')}`,
      text.slice(0, -1),
      `${text}\n`,
      text.replace('\n', '\n\n'),
    ];
    for (const [at, other] of others.entries()) {
      writeFileSync(file, other);
      expect((await writ('audit', 'verify', file)).code, `spelling ${at}`).not.toBe(0);
    }
    writeFileSync(file, text);
    expect((await writ('audit', 'verify', file)).code).toBe(0);
  });

  it('refuses what is not there, and says what to do', async () => {
    const cases = [
      [['show', '999'], 'NOT_FOUND', /there is no entry 999: the newest is \d+/],
      [['show', '0'], 'BAD_REQUEST', /takes the number of an entry/],
      [['export', '--from', '999'], 'NOT_FOUND', /there are no entries 999 to/],
      [['verify', 'nothing.jsonl'], 'BAD_REQUEST', /there is no file `nothing.jsonl`/],
      [['verify', node.home.configFile], 'BAD_REQUEST', /no bundle of an audit log/],
      [['tail', '--lines', 'many'], 'BAD_REQUEST', /--lines takes a number/],
    ] as const;
    for (const [argv, code, message] of cases) {
      const { error } = JSON.parse((await writ('audit', ...argv, '--json')).out);
      expect(error).toMatchObject({ code, message: expect.stringMatching(message) });
      expect(error.nextSteps.length).toBeGreaterThan(0);
    }
  });

  it('says which entry was changed, where, and what to do', async () => {
    await writ('audit', 'export', '--only-checkpoint', '--output', kept());
    changeRows(`UPDATE audit SET actor = 'nobody' WHERE seq = 2`);
    const { code, out } = await writ('audit', 'verify');
    expect(out).toMatch(/^NOT VERIFIED/);
    expect(out).toMatch(
      /rows, entry 2: edited: a row is not what was written: they differ in actor\n {2}→ keep the database/,
    );
    expect(code).toBe(7);
    const shown = await writ('audit', 'show', '2');
    expect(shown.err).toMatch(
      /error EVIDENCE_INVALID: entry 2 is not what the newest checkpoint counts\n {2}→ .*writ audit verify/,
    );
    expect(shown.code).toBe(7);
  });
});

describe('the audit log', () => {
  it('is followed as things happen', async () => {
    const stop = new AbortController();
    let heard = '';
    const following = runWrit(node.home.root, ['audit', 'tail', '--lines', '1'], {
      signal: stop.signal,
      heard: (out) => {
        heard = out;
      },
    });
    await expect.poll(() => heard).not.toBe('');
    await node.control.call('session_start', { agent: 'fixer' });
    await expect.poll(() => heard).toContain('session.started');
    stop.abort();
    await following;
  });

  it('is signed whole when the node stops, and stays readable where it does not run', async () => {
    await node.running.close(0);
    const { out } = await writ('audit', 'verify', '--json');
    const report = JSON.parse(out);
    expect(report).toMatchObject({ ok: true, written: report.rows, signed: report.rows });
    expect((await writ('audit', 'tail')).err).toMatch(/does not run: nothing happens that could be followed/);
  });

  it('shows by a kept checkpoint that its tail was cut with everything that says so', async () => {
    await node.control.call('session_start', { agent: 'fixer' });
    await node.running.close(0);
    copyFileSync(join(node.home.auditDir, 'checkpoint'), kept());
    const before = JSON.parse((await writ('audit', 'verify', '--json')).out).rows;
    changeRows(`DELETE FROM audit WHERE seq > 2; UPDATE sqlite_sequence SET seq = 2 WHERE name = 'audit'`);
    rmSync(node.home.auditDir, { recursive: true });
    await node.restart();
    const { out, code } = await writ('audit', 'verify', '--checkpoint', kept());
    expect(out).toMatch(/kept checkpoint, entr.*(cut|forked): a kept checkpoint/);
    expect(out).toContain(`kept checkpoint over ${before} entries: DOES NOT HOLD`);
    expect(code).toBe(7);
  });

  it('that does not fit its rows is said in the status, and nothing is written over it', async () => {
    await node.running.close(0);
    changeRows(`UPDATE audit SET actor = 'nobody'`);
    await node.restart();
    await expect
      .poll(async () => (await writ('status')).out)
      .toMatch(
        /warning: the audit log is .* behind its rows: the audit log does not fit its rows: .*\n {2}→ .*writ audit verify/,
      );
    expect(existsSync(node.home.auditDir)).toBe(true);
  });

  it('does what its page shows', async () => {
    const page = readFileSync(new URL('../../../../../docs/audit.md', import.meta.url), 'utf8');
    const commands = [...page.matchAll(/^\$ writ (audit .*)$/gm)].map(([, command = '']) => command.split(' '));
    expect(commands.length).toBeGreaterThan(7);
    for (const command of commands) {
      const argv = command.map((word) =>
        /^(kept-checkpoint|\w+\.jsonl)$/.test(word) ? join(node.home.root, word) : word,
      );
      const { code, out, err } = await writ(...argv);
      expect(code, `${command.join(' ')}: ${out}${err}`).toBe(0);
    }
  });

  it('is not for a task', async () => {
    const { openOfflineAudit } = await import('../../lifecycle/offline-audit.ts');
    const opened = openOfflineAudit(node.home, { taskAccess: { socket: 's', token: 't' } });
    await expect(opened).rejects.toMatchObject({ code: 'TOKEN_INVALID' });
  });
});
