import { describe, expect, it } from 'vitest';
import { isNamed, mayReach, type NetworkRule, parseDestination, plainAddress } from './destination.ts';

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
  ...['::ffff:169.254.169.254', '::ffff:0:7f00:1', '64:ff9b:1::a00:1', '2001::1', 'no address'],
];
const PRIVATE = [
  ...['10.0.0.1', '172.16.0.1', '192.168.1.1', '100.64.0.1', 'fd00::1', '::ffff:10.0.0.1'],
  ...['192.0.2.1', '198.51.100.1', '203.0.113.1', '2001:db8::1', '3fff::1'],
];
const PUBLIC = ['93.184.216.34', '2606:2800:220:1::1', '172.32.0.1'];

/** What a rule that allows everything and one that lists a name say of an address, which is this machine's own or not. */
async function reach(address: string, isOwn = false): Promise<boolean[]> {
  const destination = { host: plainAddress(address), port: 80 };
  const says = (rule: NetworkRule): Promise<boolean> => mayReach(rule, destination, async () => isOwn);
  return Promise.all([says('allow'), says(['name.example:80'])]);
}

describe('an address that a name leads to', () => {
  it.each(LOCAL)('%s is reached by no rule', async (address) => {
    expect(await reach(address)).toEqual([false, false]);
  });

  it.each(PRIVATE)('%s is reached where everything is allowed, and from no name of a list', async (address) => {
    expect(await reach(address)).toEqual([true, false]);
  });

  it.each(PUBLIC)('%s is reached', async (address) => {
    expect(await reach(address)).toEqual([true, true]);
  });

  it.each([...PRIVATE, ...PUBLIC])("%s is reached by no rule where it is this machine's own", async (address) => {
    expect(await reach(address, true)).toEqual([false, false]);
  });

  it('is reached where the list names it itself, with its port', async () => {
    const says = (rule: string, address: string, port: number): Promise<boolean> =>
      mayReach([rule], { host: plainAddress(address), port }, async () => true);
    expect(await says('127.0.0.1:80', '127.0.0.1', 80)).toBe(true);
    expect(await says('127.0.0.1:80', '::ffff:127.0.0.1', 80)).toBe(true);
    expect(await says('93.184.216.34:80', '93.184.216.34', 80)).toBe(true);
    expect(await says('127.0.0.1:80', '127.0.0.1', 81)).toBe(false);
  });
});
