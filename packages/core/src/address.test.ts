import { describe, expect, it } from 'vitest';
import { formatAddress, isLoopback, parseAddress, readAddress } from './address.ts';

describe('address', () => {
  it('reads names, IPv4 and IPv6, and writes them back', () => {
    for (const text of ['gpu-box.local:7443', '127.0.0.1:0', '[::1]:65535', 'a:1']) {
      expect(formatAddress(parseAddress(text))).toBe(text);
    }
    const longest = `${'a'.repeat(254)}:65535`;
    expect(readAddress(longest)).toEqual({ host: 'a'.repeat(254), port: 65_535 });
    expect(parseAddress('[::1]:80')).toEqual({ host: '::1', port: 80 });
  });

  it('refuses everything else, and every other scheme of grpc-js', () => {
    const wrong = [
      '',
      'host',
      ':80',
      'host:',
      'host:65536',
      'host:080',
      'host:x',
      'a b:1',
      '-a:1',
      'a;b:1',
      '$(a):1',
      '::1:80',
      '[::1]',
      '_gpu:7420',
      'gpu_:7420',
      '.gpu:7420',
      'gpu.:7420',
      `${'a'.repeat(255)}:1`,
    ];
    for (const text of [
      ...wrong,
      'unix:/tmp/x',
      'unix:/tmp/x:1',
      'dns:host:1',
      'ipv4:1.2.3.4:1',
      'host:1\n',
      '[$]:1',
    ]) {
      expect(readAddress(text), text).toBe(undefined);
      expect(() => parseAddress(text), text).toThrow(
        expect.objectContaining({
          code: 'BAD_REQUEST',
          message: expect.stringContaining('is no mesh address'),
          nextSteps: ['write it as `host:port`, for example `gpu-box.local:7443`'],
        }),
      );
    }
  });
});

describe('the loopback address', () => {
  it.each(['localhost', 'LOCALHOST', '127.0.0.1', '127.1.2.3', '::1'])('is %s', (host) => {
    expect(isLoopback(host)).toBe(true);
  });
  it.each([
    '0.0.0.0',
    '::',
    '128.0.0.1',
    'localhost.example',
    '127.0.0.1.example',
    '::2',
    '10.127.0.0',
    '127.0.0',
    '1127.0.0.1',
    '127.0.0.1000',
  ])('is not %s', (host) => {
    expect(isLoopback(host)).toBe(false);
  });
});
