import { describe, expect, it } from 'vitest';
import { argumentList } from './argument-list.ts';

describe('a list of arguments for people', () => {
  it.each([
    [['sh', '-c', 'true', '{prompt}'], 'sh -c true {prompt}'],
    [['sh', '-c', 'true {prompt}'], "sh -c 'true {prompt}'"],
    [['npm', 'test', '**'], 'npm test **'],
    [['echo', ''], "echo ''"],
    [['a\nb', "it's"], "'a\nb' 'it'\\''s'"],
  ])('shows of %j where each ends', (args, shown) => {
    expect(argumentList(args)).toBe(shown);
  });
});
