import { mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createSystemClock, silentLogger } from '@writ/core';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { watchFile } from './config-watch.ts';

let dir: string;
let stop: () => void;
let wake: () => void;
let count: number;

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'writ-watch-'));
  for (const name of ['home', 'one', 'two']) mkdirSync(join(dir, name));
  for (const name of ['one', 'two']) writeFileSync(join(dir, name, 'x.toml'), 'a');
  stop = () => undefined;
  wake = () => undefined;
  count = 0;
});
afterEach(() => {
  stop();
  rmSync(dir, { recursive: true });
});

const inDir = (...names: readonly string[]): string => join(dir, ...names);
const start = (): void => {
  stop = watchFile({ path: inDir('home', 'writ.toml'), clock: createSystemClock(), logger: silentLogger }, async () => {
    count += 1;
    wake();
  });
};
/** Does something, and waits until the watch has told of it. */
async function told(act: () => void): Promise<void> {
  const arrived = new Promise<void>((resolve) => {
    wake = resolve;
  });
  act();
  await arrived;
}
function relink(target: string, link: string): void {
  symlinkSync(target, `${link}.new`);
  renameSync(`${link}.new`, link);
}

it('tells of a file that is written where a link leads', async () => {
  symlinkSync(inDir('one', 'x.toml'), inDir('home', 'writ.toml'));
  start();
  await told(() => writeFileSync(inDir('one', 'x.toml'), 'b'));
});

it('follows a link that leads elsewhere from then on', async () => {
  symlinkSync(inDir('one', 'x.toml'), inDir('home', 'writ.toml'));
  start();
  await told(() => relink(inDir('two', 'x.toml'), inDir('home', 'writ.toml')));
  await told(() => writeFileSync(inDir('two', 'x.toml'), 'c'));
});

it('follows a folder on the way that is a link', async () => {
  symlinkSync(inDir('one'), inDir('home', 'data'));
  symlinkSync(join('data', 'x.toml'), inDir('home', 'writ.toml'));
  start();
  await told(() => relink(inDir('two'), inDir('home', 'data')));
  await told(() => writeFileSync(inDir('two', 'x.toml'), 'c'));
});

it('tells of a file that is there as a file, replaced or written', async () => {
  writeFileSync(inDir('home', 'writ.toml'), 'a');
  start();
  await told(() => writeFileSync(inDir('home', 'writ.toml'), 'b'));
  writeFileSync(inDir('home', 'new'), 'c');
  await told(() => renameSync(inDir('home', 'new'), inDir('home', 'writ.toml')));
  expect(count).toBeGreaterThanOrEqual(2);
});
