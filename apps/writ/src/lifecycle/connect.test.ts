import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readEnvironment } from '../env.ts';
import { type Home, resolveHome } from '../home.ts';
import { connect } from './connect.ts';
import { ownPidFile } from './running-pid.ts';

let dir: string;
let home: Home;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'writ-connect-'));
  home = resolveHome(readEnvironment(), dir);
  mkdirSync(home.runDir, { mode: 0o700 });
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

const refusal = (): unknown => {
  try {
    return connect(home, { taskAccess: undefined });
  } catch (error) {
    return error;
  }
};

describe('reaching a node', () => {
  it('that was never made', () => {
    expect(refusal()).toMatchObject({ code: 'NOT_INITIALIZED', nextSteps: ['writ init'] });
  });

  it('that does not run', () => {
    writeFileSync(home.configFile, '');
    expect(refusal()).toMatchObject({ code: 'NOT_RUNNING', nextSteps: ['writ up'] });
  });

  it('that runs, but whose token file is gone, names the process', () => {
    writeFileSync(home.pidFile, ownPidFile());
    expect(refusal()).toMatchObject({ code: 'NOT_RUNNING', nextSteps: [`kill ${process.pid}`, 'writ up'] });
  });

  it('works although its configuration file is gone', () => {
    writeFileSync(home.tokenFile, 'token\n');
    expect(connect(home, { taskAccess: undefined })).toHaveProperty('call');
  });

  it('sends no token through a folder that others can enter', () => {
    writeFileSync(home.tokenFile, 'token\n');
    rmSync(dirname(home.socketFile), { recursive: true });
    mkdirSync(dirname(home.socketFile), { mode: 0o755 });
    writeFileSync(home.tokenFile, 'token\n');
    expect(refusal()).toMatchObject({ code: 'HOME_INSECURE' });
  });
});
