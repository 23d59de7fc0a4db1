import { describe, expect, it } from 'vitest';
import { compileConfig } from './compile.ts';
import { BASE } from './testing/fixtures.ts';
import { testId } from './testing/testing.ts';

/** The codes of what is wrong with a peer at this address. */
function wrongWith(address: string): readonly string[] {
  const result = compileConfig(`${BASE}[peers.x]\nid = "${testId('x')}"\naddress = "${address}"\n`);
  return result.ok ? [] : result.violations.map(({ code, path }) => `${code} ${path}`);
}

describe('the address of a peer', () => {
  it('is one that the mesh can dial', () => {
    expect(['gpu-box.local:7420', '10.0.0.1:1', '[::1]:7420'].flatMap(wrongWith)).toEqual([]);
    for (const address of ['_gpu:7420', 'gpu-:7420', 'gpu:0', 'gpu:65536', '[:x]:1']) {
      expect(wrongWith(address), address).toEqual(['BAD_VALUE peers.x.address']);
    }
  });
});
