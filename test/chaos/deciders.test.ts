import { spawnSync } from 'node:child_process';
import { expect, it } from 'vitest';

/** `npm run chaos -- deciders --count 300` does more. */
const QUESTIONS = '4';
const PROCESSES = '4';

it('one of 64 answers of four processes wins, and the others are told of whom', () => {
  const args = ['scripts/run-ts.mjs', 'test/chaos/main.ts', 'deciders', '--count', QUESTIONS, '--processes', PROCESSES];
  const { stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
  expect(stderr).toBe('');
  expect(JSON.parse(stdout)).toMatchObject({ rounds: 4, answers: 256, violations: [] });
}, 240_000);
