import type { Classification } from '@writ/policy';
import { describe, expect, it } from 'vitest';
import { movedCommand } from './resolving.ts';

/** What is found in a command with one inside it. */
function found(argv: readonly string[], change: Partial<Classification['commands'][number]> = {}) {
  const about = { class: 'destructive', rule: 'undecided', reason: '', needs: [], targets: [] } as const;
  return movedCommand({ commands: [{ argv, host: 'self', unplaced: true, ...about, ...change }] });
}

describe('a command after a change of the folder', () => {
  it('is refused where its file depends on the folder, with what to name instead', () => {
    expect(found(['bash', 's.sh'])).toMatchObject({
      code: 'BAD_REQUEST',
      message: 'which file `bash s.sh` runs cannot be told after a change of the folder',
    });
    expect(found(['./s.sh'])?.code).toBe('BAD_REQUEST');
  });

  it('is none where its file does not, where it is on another host, and where the folder is known', () => {
    expect(found(['bash', '/srv/s.sh'])).toBeUndefined();
    expect(found(['./s.sh'], { host: 'web1' })).toBeUndefined();
    const { commands } = { commands: [] };
    expect(movedCommand({ commands })).toBeUndefined();
  });
});
