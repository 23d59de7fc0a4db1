import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createSystemRandom } from '@writ/core';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { describeWith, findTool } from '../../../../test/support/require.ts';
import { describeService, type Execute, installService, serviceStatus, uninstallService } from './service.ts';

const random = createSystemRandom();
let dir: string;
let ran: string[];
let answer: number;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'writ-service-'));
  ran = [];
  answer = 0;
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

const execute: Execute = async (argv) => {
  ran.push(argv.join(' '));
  return { exitCode: answer, said: answer === 0 ? '' : 'Failed to connect to bus\n' };
};

function service(how: { readonly platform?: NodeJS.Platform; readonly home?: string; readonly script?: string } = {}) {
  const { platform = 'linux', home, script = join(dir, 'writ.js') } = how;
  const environment = { all: { PATH: '/usr/bin:/opt/50% "off"/bin' }, homeDir: dir, xdgConfigHome: undefined };
  const options = home === undefined ? [] : ['--home', home];
  const where = { root: home ?? '/data', named: { variables: [], options } };
  return describeService(where, environment, platform, script);
}

describe('a node as a service', () => {
  it('is written, enabled, seen and taken away again', async () => {
    expect(await serviceStatus(service(), execute)).toMatchObject({ installed: 'no', active: false });
    const done = await installService(service(), execute, random);
    expect(done).toMatchObject({ kind: 'systemd', changed: true, failed: [] });
    expect(done.file).toBe(join(dir, '.config/systemd/user/writ.service'));
    expect(ran).toEqual(['systemctl --user daemon-reload', 'systemctl --user enable writ.service']);
    expect(await installService(service(), execute, random)).toMatchObject({ changed: false });
    expect(await serviceStatus(service(), execute)).toMatchObject({ installed: 'yes', active: true });
    expect(await uninstallService(service(), execute)).toMatchObject({ changed: true });
    expect(existsSync(done.file)).toBe(false);
    expect(await uninstallService(service(), execute)).toMatchObject({ changed: false });
  });

  it('of a home of its own has a name of its own, and starts with that home', () => {
    const { file, text, manager, order } = service({ home: '/srv/my writ' });
    expect(file).toMatch(/writ-[0-9a-f]{8}\.service$/);
    expect(text).toContain('"up" "--foreground" "--home" "/srv/my writ"');
    expect(manager.notes(order.name)).toContain(`what it says: journalctl --user -u ${order.name}`);
  });

  it.each([
    ['linux', 'Environment=UV_THREADPOOL_SIZE=32\n'],
    ['darwin', '<key>UV_THREADPOOL_SIZE</key>\n    <string>32</string>\n'],
  ] as const)('has the threads of a node on %s', (platform, said) => {
    expect(service({ platform }).text).toContain(said);
  });

  it('says which command of the manager failed, and is written all the same', async () => {
    answer = 1;
    const { file, failed } = await installService(service(), execute, random);
    expect(failed[0]).toEqual({ command: 'systemctl --user daemon-reload', said: 'Failed to connect to bus' });
    expect(existsSync(file)).toBe(true);
  });

  it('may hold its runs in groups of their own', () => {
    expect(service().text).toMatch(/^Delegate=yes$/m);
  });

  it.each(['linux', 'darwin'] as const)('is known again on %s', async (platform) => {
    await installService(service({ platform, script: join(dir, 'older.js') }), execute, random);
    expect(await uninstallService(service({ platform }), execute)).toMatchObject({ changed: true });
  });

  it('does not take the place of what somebody else wrote', async () => {
    const { file } = service();
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, '[Service]\nExecStart=/bin/true\n');
    await expect(installService(service(), execute, random)).rejects.toMatchObject({ code: 'CONFLICT' });
    await expect(uninstallService(service(), execute)).rejects.toMatchObject({ code: 'CONFLICT' });
    expect(readFileSync(file, 'utf8')).toContain('/bin/true');
    // What a person wrote may start the same program.
    writeFileSync(file, '[Service]\nExecStart=/opt/writ/writ up --foreground\n');
    await expect(installService(service(), execute, random)).rejects.toMatchObject({ code: 'CONFLICT' });
    await expect(uninstallService(service(), execute)).rejects.toMatchObject({ code: 'CONFLICT' });
  });

  it('is told apart from the one of an older place', async () => {
    await installService(service({ script: join(dir, 'older.js') }), execute, random);
    expect(await serviceStatus(service(), execute)).toMatchObject({ installed: 'other' });
    expect(await installService(service(), execute, random)).toMatchObject({ changed: true });
  });

  it('is an agent of launchd on macOS, and refused where no manager is known', () => {
    const { file, text } = service({ platform: 'darwin', script: '/opt/a&b/writ.js' });
    expect(file).toBe(join(dir, 'Library/LaunchAgents/dev.writ.writ.plist'));
    expect(text).toContain('<string>/opt/a&amp;b/writ.js</string>');
    expect(() => service({ platform: 'win32' })).toThrow(expect.objectContaining({ code: 'BAD_REQUEST' }));
  });

  it('is not described where a path cannot be written', () => {
    expect(() => service({ script: '/opt/a\nExecStartPre=x' })).toThrow(
      expect.objectContaining({ code: 'BAD_REQUEST' }),
    );
  });
});

describeWith(['systemd-analyze'], 'the unit as systemd reads it', () => {
  it('is taken, whatever the paths hold', () => {
    const script = join(dir, 'it\'s 100%Z "$HOME" \\x', 'writ.js');
    const { text } = service({ script, home: '/srv/a b' });
    const unit = join(dir, 'writ-test.service');
    writeFileSync(unit, text);
    const { status, stderr } = spawnSync(findTool('systemd-analyze') ?? '', ['--user', 'verify', '--man=no', unit], {
      encoding: 'utf8',
      env: { PATH: process.env.PATH, HOME: dir, XDG_RUNTIME_DIR: dir },
    });
    expect(stderr.split('\n').filter((line) => line.includes('writ-test'))).toEqual([]);
    expect(status).toBe(0);
  });
});
