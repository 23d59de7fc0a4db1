import { describe, expect, it } from 'vitest';
import { describeNetwork, meetNetworks, networkWithin, normalizeNetwork } from './network.ts';
import type { Network } from './types.ts';

const A: Network = ['a:1'];
const AB: Network = ['a:1', 'b:1'];

describe('a network', () => {
  it('has one spelling', () => {
    expect(normalizeNetwork(['b:1', 'A:1', 'a:1'])).toEqual(AB);
    expect(normalizeNetwork([])).toBe('deny');
    expect(normalizeNetwork('allow')).toBe('allow');
    expect([describeNetwork('deny'), describeNetwork(AB)]).toEqual(['deny', 'a:1, b:1']);
  });

  it.each<[Network, Network, boolean]>([
    ['deny', 'deny', true],
    ['deny', 'allow', true],
    ['deny', A, true],
    ['allow', 'allow', true],
    ['allow', 'deny', false],
    ['allow', A, false],
    [A, 'deny', false],
    [[], 'deny', false],
    [A, 'allow', true],
    [A, AB, true],
    [AB, A, false],
    [['c:1'], AB, false],
  ])('%j is within %j: %s', (inner, outer, isWithin) => {
    expect(networkWithin(inner, outer)).toBe(isWithin);
  });

  it.each<[Network, Network, Network]>([
    ['deny', 'allow', 'deny'],
    ['allow', 'deny', 'deny'],
    ['allow', 'allow', 'allow'],
    ['allow', A, A],
    [A, 'allow', A],
    [A, 'deny', 'deny'],
    ['deny', A, 'deny'],
    [AB, ['b:1', 'c:1'], ['b:1']],
    [A, ['c:1'], 'deny'],
  ])('%j and %j have %j in common', (a, b, both) => {
    expect(meetNetworks(a, b)).toEqual(both);
  });
});
