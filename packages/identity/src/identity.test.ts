import { X509Certificate } from 'node:crypto';
import { chmodSync, mkdtempSync, readdirSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect, createServer, type TLSSocket } from 'node:tls';
import { createSystemClock, createSystemRandom } from '@writ/core';
import { createFakeClock, type FakeClock } from '@writ/testkit/clock';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { TLS_SERVER_NAME } from './certificate-kinds.ts';
import { createIdentity, loadIdentity, readPublicIdentity } from './identity.ts';
import { nodeIdOf } from './node-id.ts';
import { verifyPeerCertificate } from './peer-certificate.ts';

const HOUR_MS = 3_600_000;

describe('a node identity', () => {
  let dir: string;
  let clock: FakeClock;
  const random = createSystemRandom();
  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), 'writ-identity-'));
    clock = createFakeClock(createSystemClock().nowMs());
  });
  afterEach(() => rmSync(dir, { recursive: true, force: true }));

  it('is named by the fingerprint of its key and keeps that name when it is loaded again', async () => {
    const made = await createIdentity({ dir, clock, random });
    const loaded = await loadIdentity({ dir, clock, random });
    expect(made.public.id).toBe(nodeIdOf(new X509Certificate(made.public.certificatePem)));
    expect(loaded.public).toEqual(made.public);
    expect(loaded.tls()).toEqual(made.tls());
  });

  it('tells who it is from one file, with nothing made anew', async () => {
    const made = await createIdentity({ dir, clock, random });
    for (const name of ['tls.pem', 'signing.pem']) rmSync(join(dir, name));
    expect(await readPublicIdentity(dir)).toEqual(made.public);
    expect(readdirSync(dir)).toEqual(['identity.pem']);
    rmSync(join(dir, 'identity.pem'));
    await expect(readPublicIdentity(dir)).rejects.toMatchObject({ code: 'NOT_INITIALIZED' });
  });

  it('is never overwritten', async () => {
    const made = await createIdentity({ dir, clock, random });
    await expect(createIdentity({ dir, clock, random })).rejects.toMatchObject({ code: 'CONFLICT' });
    expect((await loadIdentity({ dir, clock, random })).public).toEqual(made.public);
  });

  it('made twice at once is made once', async () => {
    const all = await Promise.allSettled([1, 2, 3, 4].map(() => createIdentity({ dir, clock, random })));
    const made = all.filter((one) => one.status === 'fulfilled');
    expect(made).toHaveLength(1);
  });

  it('keeps its keys in files that only the owner can read, and leaves no others behind', async () => {
    await createIdentity({ dir, clock, random });
    expect(statSync(dir).mode & 0o777).toBe(0o700);
    expect(readdirSync(dir).sort()).toEqual(['identity.pem', 'signing.pem', 'tls.pem']);
    for (const name of readdirSync(dir)) expect(statSync(join(dir, name)).mode & 0o777).toBe(0o600);
  });

  it.each([['identity.pem'], ['tls.pem'], ['signing.pem']])('refuses a %s that others can read', async (name) => {
    await createIdentity({ dir, clock, random });
    chmodSync(join(dir, name), 0o640);
    await expect(loadIdentity({ dir, clock, random })).rejects.toMatchObject({
      code: 'HOME_INSECURE',
      nextSteps: expect.arrayContaining([`chmod 600 ${join(dir, name)}`]),
    });
  });

  it('refuses a folder that others can enter', async () => {
    await createIdentity({ dir, clock, random });
    chmodSync(dir, 0o755);
    await expect(loadIdentity({ dir, clock, random })).rejects.toMatchObject({
      code: 'HOME_INSECURE',
      nextSteps: expect.arrayContaining([`chmod 700 ${dir}`]),
    });
  });

  it('refuses an identity file that is a link', async () => {
    const other = mkdtempSync(join(tmpdir(), 'writ-identity-'));
    try {
      await createIdentity({ dir: other, clock, random });
      symlinkSync(join(other, 'identity.pem'), join(dir, 'identity.pem'));
      await expect(loadIdentity({ dir, clock, random })).rejects.toMatchObject({ code: 'HOME_INSECURE' });
    } finally {
      rmSync(other, { recursive: true });
    }
  });

  it('is reported where there is none, and where its file is damaged', async () => {
    await expect(loadIdentity({ dir, clock, random })).rejects.toMatchObject({ code: 'NOT_INITIALIZED' });
    writeFileSync(join(dir, 'identity.pem'), 'garbage', { mode: 0o600 });
    await expect(loadIdentity({ dir, clock, random })).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
  });

  it('makes damaged or foreign TLS keys anew', async () => {
    const made = await createIdentity({ dir, clock, random });
    writeFileSync(join(dir, 'tls.pem'), 'garbage', { mode: 0o600 });
    const loaded = await loadIdentity({ dir, clock, random });
    expect(loaded.public).toEqual(made.public);
    expect(loaded.tls().chainPem).not.toBe(made.tls().chainPem);
  });

  it('rotates keys on load when two thirds of their life are gone, not before', async () => {
    const made = await createIdentity({ dir, clock, random });
    clock.jump(made.rotationDueAtMs() - clock.nowMs() - 1000);
    expect((await loadIdentity({ dir, clock, random })).tls()).toEqual(made.tls());
    clock.jump(2000);
    const loaded = await loadIdentity({ dir, clock, random });
    expect(loaded.tls().keyPem).not.toBe(made.tls().keyPem);
    expect(loaded.signingCertificate()).not.toEqual(made.signingCertificate());
    expect(loaded.public).toEqual(made.public);
  });

  it('keeps its keys while the clock stands before its own beginning, and makes none that is older than it is', async () => {
    const made = await createIdentity({ dir, clock, random });
    const from = (der: Uint8Array | string): number => Date.parse(new X509Certificate(der).validFrom);
    clock.jump(-48 * HOUR_MS);
    const back = await loadIdentity({ dir, clock, random });
    expect(back.signingCertificate()).toEqual(made.signingCertificate());
    expect(back.tls()).toEqual(made.tls());
    for (const name of ['tls.pem', 'signing.pem']) rmSync(join(dir, name));
    const anew = await loadIdentity({ dir, clock, random });
    await back.rotate();
    for (const { signingCertificate } of [anew, back]) {
      expect(from(signingCertificate())).toBe(from(made.public.certificatePem));
    }
    clock.jump(48 * HOUR_MS);
    const again = await loadIdentity({ dir, clock, random });
    expect(again.signingCertificate()).toEqual(back.signingCertificate());
  });

  it('makes keys anew that a clock from the future dated', async () => {
    const made = await createIdentity({ dir, clock, random });
    clock.jump(400 * 24 * HOUR_MS);
    const future = await loadIdentity({ dir, clock, random });
    expect(future.signingCertificate()).not.toEqual(made.signingCertificate());
    clock.jump(-400 * 24 * HOUR_MS);
    expect((await loadIdentity({ dir, clock, random })).signingCertificate()).not.toEqual(future.signingCertificate());
  });

  it('tells listeners of a rotation until they stop listening', async () => {
    const identity = await createIdentity({ dir, clock, random });
    const before = identity.tls();
    let told = 0;
    const stop = identity.onRotate(() => told++);
    await Promise.all([identity.rotate(), identity.rotate()]);
    expect(told).toBe(1);
    expect(identity.tls()).not.toEqual(before);
    expect((await loadIdentity({ dir, clock, random })).tls()).toEqual(identity.tls());
    stop();
    await identity.rotate();
    expect(told).toBe(1);
  });

  it('serves and proves itself over mutual TLS 1.3 with its certificate as the only root', async () => {
    const identity = await createIdentity({ dir, clock, random });
    const { keyPem: key, chainPem: cert } = identity.tls();
    const common = { key, cert, ca: identity.public.certificatePem, minVersion: 'TLSv1.3' as const };
    const server = createServer({ ...common, requestCert: true, rejectUnauthorized: true }, (socket) =>
      socket.end('hello'),
    );
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const address = server.address();
    if (address === null || typeof address === 'string') throw new Error('no port');
    const socket: TLSSocket = connect({
      ...common,
      port: address.port,
      host: '127.0.0.1',
      servername: TLS_SERVER_NAME,
    });
    const text = await new Promise<string>((resolve, reject) => {
      let got = '';
      socket.on('data', (data) => {
        got += data;
      });
      socket.on('error', reject);
      socket.on('end', () => resolve(got));
    });
    const leafDer = socket.getPeerCertificate().raw;
    socket.destroy();
    await new Promise((resolve) => server.close(resolve));
    expect(text).toBe('hello');
    const pins = { get: () => identity.public };
    expect(verifyPeerCertificate({ leafDer, pins, nowMs: clock.nowMs() })).toEqual({
      verified: true,
      id: identity.public.id,
    });
  });
});
