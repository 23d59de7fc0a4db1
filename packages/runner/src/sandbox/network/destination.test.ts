import { describe, expect, it } from 'vitest';
import { isNamed, mayReach, parseDestination } from './destination.ts';

describe('a destination', () => {
  it.each<[string, string | undefined, number | undefined]>([
    ['Packages.Example.:443', 'packages.example', 443],
    ['[::1]:80', '::1', 80],
    ['10.0.0.1:1', '10.0.0.1', 1],
    ['packages.example', undefined, undefined],
    ['packages.example:0', undefined, undefined],
    ['packages.example:65536', undefined, undefined],
    ['::1:80', undefined, undefined],
    ['[name]:80', undefined, undefined],
    ['user@packages.example:443', undefined, undefined],
    ['a b:443', undefined, undefined],
    ['', undefined, undefined],
  ])('%j is read as %j, %j', (text, host, port) => {
    expect(parseDestination(text)).toEqual(host === undefined ? undefined : { host, port });
  });

  it('is named by host and port together, and by nothing that is like it', () => {
    const rule = ['packages.example:443', '[fd00::1]:8080'];
    const named = (text: string): boolean => isNamed(rule, parseDestination(text) ?? { host: '', port: 0 });
    expect(['packages.example:443', 'PACKAGES.example.:443', '[fd00::1]:8080'].map(named)).toEqual([true, true, true]);
    const others = [
      'packages.example:80',
      'x.packages.example:443',
      'packages.example.evil:443',
      'xpackages.example:443',
    ];
    expect(others.map(named)).toEqual([false, false, false, false]);
  });
});

const LOCAL = [
  ...['127.0.0.1', '127.9.9.9', '0.0.0.0', '169.254.169.254', '224.0.0.1', '255.255.255.255', '::1', '::', 'fe80::1'],
  ...[
    'fe80::1%eth0',
    'ff02::1',
    '::ffff:127.0.0.1',
    '::ffff:7f00:1',
    '::127.0.0.1',
    '64:ff9b::7f00:1',
    '2002:7f00:1::',
  ],
  ...['::ffff:169.254.169.254', 'no address'],
];
const PRIVATE = ['10.0.0.1', '172.16.0.1', '192.168.1.1', '100.64.0.1', 'fd00::1', '::ffff:10.0.0.1'];
const PUBLIC = ['93.184.216.34', '2606:2800:220:1::1', '172.32.0.1'];

describe('an address that a name leads to', () => {
  it.each(LOCAL)('%s is reached by no rule', (address) => {
    expect([mayReach('allow', address, 80), mayReach(['name.example:80'], address, 80)]).toEqual([false, false]);
  });

  it.each(PRIVATE)('%s is reached where everything is allowed, and from no name of a list', (address) => {
    expect([mayReach('allow', address, 80), mayReach(['name.example:80'], address, 80)]).toEqual([true, false]);
  });

  it.each(PUBLIC)('%s is reached', (address) => {
    expect([mayReach('allow', address, 80), mayReach(['name.example:80'], address, 80)]).toEqual([true, true]);
  });

  it('is reached where the list names it itself, with its port', () => {
    expect(mayReach(['127.0.0.1:80'], '127.0.0.1', 80)).toBe(true);
    expect(mayReach(['127.0.0.1:80'], '::ffff:127.0.0.1', 80)).toBe(true);
    expect(mayReach(['127.0.0.1:80'], '127.0.0.1', 81)).toBe(false);
  });
});
