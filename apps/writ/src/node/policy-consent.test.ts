import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { KindRules } from '@writ/authority';
import { createSystemClock, createSystemRandom, silentLogger, WritError } from '@writ/core';
import { type Database, openDatabase } from '@writ/database';
import { createNodeFactStore } from '@writ/lease-store';
import { compileConfig, createPolicyEngine, type PolicyEngine } from '@writ/policy';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type AcceptedPolicy, createAcceptedPolicy } from './accepted-policy.ts';
import { createConfigFile, type NodeConfigFile } from './config-file.ts';
import { createPolicyConsent, type PolicyConsent } from './policy-consent.ts';

const TEXT = 'schema = 1\n[node]\nname = "alpha"\n';
const WIDER = `${TEXT}[leases]\nmax = "48h"\n`;
const WIDEST = `${TEXT}[leases]\nmax = "72h"\n`;
const BROKEN = `${TEXT}[profiles.query]\nshell = "maybe"\n`;

let dir: string;
let path: string;
let database: Database;
let accepted: AcceptedPolicy;
let engine: PolicyEngine;
let file: NodeConfigFile;
let consent: PolicyConsent;
/** Throws what keeps a reload from being noted. */
let beforeNote: () => void;

beforeEach(async () => {
  dir = mkdtempSync(join(tmpdir(), 'writ-consent-'));
  path = join(dir, 'writ.toml');
  writeFileSync(path, TEXT, { mode: 0o600 });
  const clock = createSystemClock();
  const logger = silentLogger;
  const compiler = { compile: async (text: string) => compileConfig(text), close: async () => {} };
  database = await openDatabase({ path: join(dir, 'writ.db'), clock, logger });
  accepted = createAcceptedPolicy(database, createNodeFactStore());
  engine = createPolicyEngine({ text: TEXT, compile: compiler.compile, clock, selfId: 'wn-self' });
  beforeNote = () => {};
  file = createConfigFile({
    ...{ path, engine, compiler: compiler as never, clock, random: createSystemRandom(), logger },
    async onReload(text, outcome, how) {
      beforeNote();
      await accepted.note(text, outcome, how, engine.acceptedTexts());
    },
  });
  consent = createPolicyConsent({ engine, accepted, logger, identity: {} as never });
  consent.bind((yes) => file.accept(yes));
});
afterEach(async () => {
  await file.close();
  await database.close();
  rmSync(dir, { recursive: true, force: true });
});

function replaceFile(text: string): void {
  writeFileSync(join(dir, 'new'), text, { mode: 0o600 });
  renameSync(join(dir, 'new'), path);
}

/** The yes of an approver to what is loaded, stored; resolves with whether it is in force. */
function sayYes(): Promise<boolean> {
  const answer = { id: 'a-1', state: 'approved', decidedBy: 'ap-1' } as unknown as Parameters<KindRules['settle']>[1];
  database.withWriteTx((tx) => consent.rules.settle(tx, answer));
  return consent.isInForce('a-1');
}

const full = (): never => {
  throw new WritError('DATABASE_ERROR', 'the disk is full');
};

const actions = (): readonly string[] => database.auditTail(10).map(({ action }) => action);

describe('a yes to what a configuration gives', () => {
  beforeEach(async () => {
    replaceFile(WIDER);
    await file.reload({ accept: false });
    expect(engine.status().parked).toHaveLength(1);
  });

  it('is in force when whoever gave it hears of it', async () => {
    expect(await sayYes()).toBe(true);
    expect([engine.status().parked, accepted.unusedAtMs()]).toEqual([undefined, undefined]);
    expect(await consent.isInForce('a-1')).toBe(true);
  });

  it.each([
    ['does not load', BROKEN],
    ['gives something else', WIDEST],
  ])('comes to nothing where the file %s by then, which is told, noted and never mended', async (_, text) => {
    replaceFile(text);
    const reloaded = file.reload({ accept: false });
    const inForce = sayYes();
    await reloaded;
    expect(await inForce).toBe(false);
    expect(engine.status().parked).toHaveLength(1);
    expect(actions()).toContain('policy.approval-unused');
    expect(accepted.unusedAtMs()).toBeGreaterThan(0);
    expect(accepted.read(WIDER)).toEqual([TEXT]);

    replaceFile(WIDER);
    await file.reload({ accept: false });
    expect(accepted.unusedAtMs()).toBeGreaterThan(0);
    expect(await sayYes()).toBe(true);
    expect(accepted.unusedAtMs()).toBeUndefined();
  });

  it('is told as in force where that alone could not be noted, and is after a restart', async () => {
    beforeNote = full;
    expect(await sayYes()).toBe(true);
    expect(engine.status().parked).toBeUndefined();
    expect(accepted.read(WIDER)).toBeUndefined();
  });

  it('comes to nothing for good where it met a fault before it was in force', async () => {
    consent.bind(async () => full());
    expect(await sayYes()).toBe(false);
    expect(accepted.unusedAtMs()).toBeGreaterThan(0);
    expect(accepted.read(WIDER)).toEqual([TEXT]);
  });

  it('is told as neither where that cannot be stored', async () => {
    consent = createPolicyConsent({
      ...{ engine, logger: silentLogger, identity: {} as never },
      accepted: { ...accepted, noteUnused: full },
    });
    consent.bind(async () => false);
    await expect(sayYes()).rejects.toMatchObject({
      code: 'DATABASE_ERROR',
      message: expect.stringContaining('may be'),
    });
    expect(accepted.read(WIDER)).toBeUndefined();
  });

  it('is told as neither by a node that closes meanwhile', async () => {
    const reloaded = file.reload({ accept: false });
    const inForce = sayYes();
    const closed = file.close();
    await expect(inForce).rejects.toMatchObject({ code: 'SHUTTING_DOWN', message: expect.stringContaining('may be') });
    await Promise.all([closed, reloaded.catch(() => undefined)]);
    expect(engine.status().parked).toHaveLength(1);
  });
});
