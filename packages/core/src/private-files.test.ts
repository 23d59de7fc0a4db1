import {
  chmodSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  assertPrivateFile,
  createPrivateFile,
  ensurePrivateDirectory,
  readPrivateFile,
  replacePrivateFile,
} from './private-files.ts';
import { createSystemRandom } from './random.ts';

const random = createSystemRandom();
let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'writ-private-'));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

const mode = (path: string): number => statSync(path).mode & 0o777;

describe('private directories', () => {
  it('are made closed to others, whatever the umask', () => {
    const before = process.umask(0);
    try {
      ensurePrivateDirectory(join(dir, 'a', 'b'));
    } finally {
      process.umask(before);
    }
    expect(mode(join(dir, 'a', 'b'))).toBe(0o700);
  });

  it('are refused when others can enter, with the command that mends it', () => {
    chmodSync(dir, 0o750);
    expect(() => ensurePrivateDirectory(dir)).toThrow(
      expect.objectContaining({ code: 'HOME_INSECURE', nextSteps: expect.arrayContaining([`chmod 700 ${dir}`]) }),
    );
    expect(mode(dir)).toBe(0o750);
  });
});

describe('private files', () => {
  it('are replaced whole, with mode 0600 and nothing left beside them', async () => {
    const path = join(dir, 'f');
    await replacePrivateFile(path, 'one', random);
    await replacePrivateFile(path, 'two', random);
    expect(readFileSync(path, 'utf8')).toBe('two');
    expect(mode(path)).toBe(0o600);
    expect(readdirSync(dir)).toEqual(['f']);
  });

  it('are made only where there is none', async () => {
    const path = join(dir, 'f');
    await expect(createPrivateFile(path, 'one', random)).resolves.toBe(true);
    await expect(createPrivateFile(path, 'two', random)).resolves.toBe(false);
    await expect(readPrivateFile(path)).resolves.toBe('one');
    expect(readdirSync(dir)).toEqual(['f']);
  });

  it('are refused when others can read them', async () => {
    const path = join(dir, 'it is');
    writeFileSync(path, 'x');
    chmodSync(path, 0o640);
    const refusal = { code: 'HOME_INSECURE', nextSteps: expect.arrayContaining([`chmod 600 '${path}'`]) };
    expect(() => assertPrivateFile(path)).toThrow(expect.objectContaining(refusal));
    await expect(readPrivateFile(path)).rejects.toMatchObject(refusal);
  });

  it('are never read through a symbolic link', async () => {
    writeFileSync(join(dir, 'target'), 'x', { mode: 0o600 });
    symlinkSync(join(dir, 'target'), join(dir, 'link'));
    await expect(readPrivateFile(join(dir, 'link'))).rejects.toMatchObject({ code: 'HOME_INSECURE' });
    expect(() => assertPrivateFile(join(dir, 'link'))).toThrow('is no plain file');
  });

  it('that do not exist are undefined', async () => {
    await expect(readPrivateFile(join(dir, 'none'))).resolves.toBeUndefined();
  });
});
