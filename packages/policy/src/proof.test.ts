import { describe, expect, it } from 'vitest';
import { fuzzCommands, fuzzConfig } from './testing/fuzz.ts';
import { proveOptions } from './testing/option-properties.ts';
import { proveReloads } from './testing/reloads.ts';
import { proveShellAgreement } from './testing/shell-agreement.ts';
import { testGrammar } from './testing/shell-grammar.ts';

const SEED = 2026;
/** Nothing is timed on a machine that runs other tests beside. */
const still = (): number => 0;

describe('under stress', () => {
  it('decides under no older generation once a reload is acknowledged, and under no mixture', async () => {
    const { decisions } = await proveReloads(40, 4);
    expect(decisions).toBeGreaterThan(40);
  });

  it('answers to any torn configuration', () => {
    expect(fuzzConfig(300, SEED, still).runs).toBe(300);
  });

  it('classifies any argument list', async () => {
    expect(fuzzCommands(await testGrammar(), 1000, SEED, still).runs).toBe(1000);
  });

  it('sees every command that shells run of a script which it reads', async () => {
    expect(proveShellAgreement(await testGrammar(), 150, SEED).ran).toBeGreaterThan(20);
  });

  it('finds no option that makes an example of a rule milder, and none unknown that needs no shell', async () => {
    expect(proveOptions(await testGrammar(), 1500, SEED)).toBe(1500);
  });
});
