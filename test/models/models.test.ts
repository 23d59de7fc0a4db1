import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { describeWith } from '../support/require.ts';

/** Each model, and its variants in which one guard is missing: every one of them has to fail. */
const MODELS: Readonly<Record<string, readonly string[]>> = {
  decide: ['SPLIT', 'NO_STATE', 'NO_ALIVE', 'REUSE'],
  lease: ['SPLIT', 'NO_MARK', 'PRUNE_ANY'],
  reload: ['NO_LOCK', 'OLD_LOOK', 'KEEP_OPEN'],
};

describeWith(['spin', 'gcc'], 'the models of approval, lease and reload', () => {
  let dir: string;
  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), 'writ-models-'));
  });
  afterEach(() => rmSync(dir, { recursive: true }));

  function run(program: string, args: readonly string[]): string {
    const { status, stdout, stderr } = spawnSync(program, args, { cwd: dir, encoding: 'utf8' });
    if (status !== 0) throw new Error(`${program} ${args.join(' ')}: ${stdout}${stderr}`);
    return stdout;
  }

  /** Searches every state of a model; how many errors there are, and whether the search was complete. */
  function check(model: string, variant?: string): { readonly errors: number; readonly isComplete: boolean } {
    copyFileSync(join('test/models', `${model}.pml`), join(dir, 'model.pml'));
    run('spin', ['-a', ...(variant === undefined ? [] : [`-D${variant}`]), 'model.pml']);
    run('gcc', ['-O1', '-DSAFETY', '-o', 'model', 'pan.c']);
    const said = run('./model', ['-m100000']);
    const errors = Number(/errors: (\d+)/.exec(said)?.[1] ?? Number.NaN);
    return { errors, isComplete: !said.includes('max search depth too small') };
  }

  for (const [model, variants] of Object.entries(MODELS)) {
    it(`${model}: holds in every order`, () => {
      expect(check(model)).toEqual({ errors: 0, isComplete: true });
    });

    it.each(variants)(`${model}: fails without its guard, %s`, (variant) => {
      expect(check(model, variant).errors).toBeGreaterThan(0);
    });
  }
});
