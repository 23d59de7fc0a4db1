import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect, createServer as createTcpServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Clock, createSystemClock, silentLogger, WritError } from '@writ/core';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type EgressProxy, openEgressProxy } from './egress-proxy.ts';
import type { IsOwnAddress } from './own-address.ts';

let folder: string;
let target: Server;
let port: number;
const seen: { url?: string | undefined; headers: NodeJS.Dict<string | string[]> }[] = [];
const proxies: EgressProxy[] = [];
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'writ-egress-'));
  target = createServer(({ url, headers }, response) => {
    seen.push({ url, headers });
    response.end('reached');
  });
  await new Promise<void>((resolve) => target.listen(0, '127.0.0.1', resolve));
  ({ port } = target.address() as AddressInfo);
});
afterEach(async () => {
  for (const proxy of proxies.splice(0)) await proxy.close();
  seen.splice(0);
  target.closeAllConnections();
  await new Promise((resolve) => target.close(resolve));
  rmSync(folder, { recursive: true });
});

let lookups: string[] = [];
/** Answers one address after the other, as a name does that is bound anew. */
function rebinding(...answers: readonly string[]): (host: string) => Promise<readonly string[]> {
  lookups = [];
  return async (host) => [answers[Math.min(lookups.push(host), answers.length) - 1] ?? ''];
}

const notOwn: IsOwnAddress = async () => false;

/** Sends bytes through a proxy of this rule, and gives everything that comes back until the end. */
async function say(
  rule: 'allow' | readonly string[],
  text: string,
  lookup = rebinding('127.0.0.1'),
  isOwn: IsOwnAddress = notOwn,
): Promise<string> {
  const clock = createSystemClock();
  const socket = join(folder, `s${proxies.length}`);
  const proxy = await openEgressProxy({ rule, socket, lookup, isOwn, clock, logger: silentLogger });
  proxies.push(proxy);
  return new Promise((resolve, reject) => {
    let heard = '';
    const stream = connect(socket, () => stream.write(text));
    stream.setEncoding('latin1').on('data', (piece: string) => {
      heard += piece;
      if (heard.endsWith('established\r\n\r\n'))
        stream.write('GET /in HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n');
    });
    stream.on('error', reject).on('close', () => resolve(heard));
  });
}

const tunnel = (to: string): string => `CONNECT ${to} HTTP/1.1\r\nhost: ${to}\r\n\r\n`;
const get = (url: string, host = 'elsewhere'): string =>
  `GET ${url} HTTP/1.1\r\nhost: ${host}\r\nproxy-authorization: x\r\nconnection: close\r\n\r\n`;

describe('a proxy for a task', () => {
  it('makes a tunnel to what the list names', async () => {
    expect(await say([`127.0.0.1:${port}`], tunnel(`127.0.0.1:${port}`))).toContain('reached');
    expect(seen.map(({ url }) => url)).toEqual(['/in']);
  });

  it('passes on a plain request to the place that its line names, whatever its header claims', async () => {
    expect(await say([`127.0.0.1:${port}`], get(`http://127.0.0.1:${port}/a?b=c`))).toContain('reached');
    expect(seen).toMatchObject([{ url: '/a?b=c', headers: { host: `127.0.0.1:${port}` } }]);
    expect(seen[0]?.headers).not.toHaveProperty('proxy-authorization');
  });

  it('refuses what is not named, in a tunnel and in a request', async () => {
    const rule = ['packages.example:443'];
    for (const text of [
      tunnel(`127.0.0.1:${port}`),
      get(`http://127.0.0.1:${port}/`),
      tunnel('garbage'),
      get('/relative'),
    ]) {
      expect(await say(rule, text)).toMatch(/^HTTP\/1.1 403 /);
    }
    expect(seen).toEqual([]);
  });

  it('refuses a name of the list that leads to this machine or into a private network', async () => {
    for (const address of ['127.0.0.1', '::1', '10.0.0.1', '169.254.169.254', '::ffff:127.0.0.1']) {
      expect(await say([`rebound.example:${port}`], tunnel(`rebound.example:${port}`), rebinding(address))).toMatch(
        / 403 /,
      );
    }
  });

  it('asks for a name once, and connects to the very address that it checked', async () => {
    // Checked as a public address, and what a second question would give is this machine.
    const rule = [`rebound.example:${port}`, `127.0.0.1:${port}`];
    expect(await say(rule, tunnel(`rebound.example:${port}`), rebinding('127.0.0.1', '10.9.9.9'))).toContain('reached');
    expect(lookups).toEqual(['rebound.example']);
  });

  it('reaches no loopback where everything else is allowed, however it is written', async () => {
    const hosts = [
      '127.0.0.1',
      'localhost',
      '[::1]',
      '[::ffff:127.0.0.1]',
      '127.1',
      '2130706433',
      '0x7f000001',
      '0.0.0.0',
    ];
    for (const host of hosts) expect(await say('allow', tunnel(`${host}:${port}`))).toMatch(/ 403 /);
    expect(seen).toEqual([]);
  });

  it("reaches no address that is this machine's own at that moment, and the next that the name has", async () => {
    const own = new Set(['203.0.113.9']);
    const lookup = async (): Promise<string[]> => ['203.0.113.9', '::ffff:203.0.113.9', '127.0.0.1'];
    const isOwn = async (address: string): Promise<boolean> => own.has(address);
    const rule = [`here.example:${port}`, `127.0.0.1:${port}`];
    expect(await say('allow', tunnel(`here.example:${port}`), lookup, isOwn)).toMatch(/ 403 /);
    expect(await say(rule, tunnel(`here.example:${port}`), lookup, isOwn)).toContain('reached');
  });

  it.each([
    ['has no address', new Error('ENOTFOUND'), '403 Forbidden', 'not in the network of the profile'],
    ['had no turn', new WritError('LIMIT_EXCEEDED', 'too many'), '503 Service Unavailable', 'too many'],
    ['was not found in time', new WritError('TIMED_OUT', 'late'), '503 Service Unavailable', 'late'],
  ])('says of a name that it %s', async (_, error, status, why) => {
    const lookup = (): Promise<never> => Promise.reject(error);
    for (const text of [tunnel('a.example:80'), get('http://a.example/')]) {
      const heard = await say('allow', text, lookup);
      expect(heard.split('\r\n')).toEqual(expect.arrayContaining([`HTTP/1.1 ${status}`, `x-writ: ${why}`]));
    }
  });

  it('ends what goes through it when it closes', async () => {
    const socket = join(folder, 'closing');
    const options = { rule: [`127.0.0.1:${port}`], socket, lookup: rebinding(''), isOwn: notOwn, logger: silentLogger };
    const proxy = await openEgressProxy({ ...options, clock: createSystemClock() });
    const stream = connect(socket, () => stream.write(tunnel(`127.0.0.1:${port}`)));
    await new Promise((resolve) => stream.once('data', resolve));
    const closed = new Promise((resolve) => stream.once('close', resolve));
    await proxy.close();
    await closed;
  });
});

describe('a program that asks for much', () => {
  /** Opens a proxy to this test's own server under a name, whose look-up waits until `answer`. */
  async function held(clock: Clock = createSystemClock()) {
    const waiting: (() => void)[] = [];
    const lookup = (): Promise<string[]> => new Promise((resolve) => waiting.push(() => resolve(['127.0.0.1'])));
    const rule = [`held.example:${port}`, `127.0.0.1:${port}`];
    const socket = join(folder, 'held');
    const proxy = await openEgressProxy({ rule, socket, lookup, isOwn: notOwn, clock, logger: silentLogger });
    proxies.push(proxy);
    const answer = (): void => {
      for (const go of waiting.splice(0)) go();
    };
    return { proxy, socket, waiting, answer };
  }
  const until = async (holds: () => boolean): Promise<void> => {
    while (!holds()) await new Promise((resolve) => setImmediate(resolve));
  };
  /** Gives everything that comes back over a proxy's socket until its end. */
  function heardBy(socket: string, text: string): Promise<string> {
    return new Promise((resolve, reject) => {
      let heard = '';
      const stream = connect(socket, () => stream.write(text));
      stream.setEncoding('latin1').on('data', (piece: string) => {
        heard += piece;
      });
      stream.on('error', reject).on('close', () => resolve(heard));
    });
  }

  it.each([
    ['a request', () => get(`http://held.example:${port}/`), 2],
    // That its reader is gone shows when it is written to.
    ['a tunnel', () => tunnel(`held.example:${port}`), 3],
  ])('has nothing left open for %s that hung up while its name was looked up', async (_, text, most) => {
    const { socket, waiting, answer } = await held();
    let connected = 0;
    let open = 0;
    target.on('connection', (one) => {
      connected += 1;
      open += 1;
      one.once('close', () => {
        open -= 1;
      });
    });
    const stream = connect(socket, () => stream.write(text()));
    await until(() => waiting.length === 1);
    stream.destroy();
    const others = (): Promise<string> => heardBy(socket, get(`http://127.0.0.1:${port}/other`));
    // What comes later is done, so that the end before it was heard.
    expect(await others()).toContain('reached');
    answer();
    expect(await others()).toContain('reached');
    await until(() => open === 0);
    expect(connected).toBeLessThanOrEqual(most);
  });

  it.each([
    ['a request', () => get(`http://127.0.0.1:${port}/`), /^HTTP\/1.1 502/],
    ['a tunnel', () => tunnel(`127.0.0.1:${port}`), /^$/],
  ])('waits for the connection of %s no longer than it may take', async (_, text, heard) => {
    const impatient: Clock = {
      ...createSystemClock(),
      setTimer: (_ms, act) => {
        queueMicrotask(act);
        return () => {};
      },
    };
    const { socket } = await held(impatient);
    expect(await heardBy(socket, text())).toMatch(heard);
  });

  it('is refused what is more than its share, over one connection too, and served again afterwards', async () => {
    const { socket, waiting, answer } = await held();
    const piped = `GET http://held.example:${port}/ HTTP/1.1\r\nhost: x\r\n\r\n`.repeat(299);
    const all = heardBy(socket, piped + get(`http://held.example:${port}/`));
    await until(() => waiting.length === 256);
    answer();
    const heard = await all;
    expect([heard.match(/reached/g)?.length, heard.match(/HTTP\/1.1 503/g)?.length]).toEqual([256, 44]);
    expect(await heardBy(socket, get(`http://127.0.0.1:${port}/`))).toContain('reached');
  });

  it('has everything ended that was opened for it when the proxy closes', async () => {
    const silent = createTcpServer((socket) => socket.on('error', () => {}));
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    const at = `127.0.0.1:${(silent.address() as AddressInfo).port}`;
    const socket = join(folder, 'silent');
    const parts = { lookup: rebinding(''), isOwn: notOwn, clock: createSystemClock(), logger: silentLogger };
    const proxy = await openEgressProxy({ rule: [at], socket, ...parts });
    const opened = new Promise<Socket>((resolve) => silent.once('connection', resolve));
    const asked = heardBy(socket, get(`http://${at}/`)).catch(() => '');
    const ended = opened.then((one) => new Promise((resolve) => one.resume().once('close', resolve)));
    await opened;
    await proxy.close();
    await Promise.all([ended, asked]);
    await new Promise((resolve) => silent.close(resolve));
  });
});

describe('an answer that is none', () => {
  it.each(['000', '099', '101'])('of status %s is a failure of that request alone', async (status) => {
    const odd = createTcpServer((socket) => {
      socket.resume().end(`HTTP/1.1 ${status} x\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n`);
    });
    await new Promise<void>((resolve) => odd.listen(0, '127.0.0.1', resolve));
    const at = `127.0.0.1:${(odd.address() as AddressInfo).port}`;
    expect(await say([at], `GET http://${at}/ HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n`)).toMatch(
      /^HTTP\/1.1 502/,
    );
    await new Promise((resolve) => odd.close(resolve));
  });
});
