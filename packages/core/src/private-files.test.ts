import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  mkdirSync,
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
  replaceIfSame,
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
    chmodSync(dir, 0o701);
    expect(() => ensurePrivateDirectory(dir)).toThrow('(mode 701)');
  });

  it('are left as they are where they are closed already, also closer than was asked for', () => {
    chmodSync(dir, 0o500);
    ensurePrivateDirectory(dir);
    expect(mode(dir)).toBe(0o500);
  });

  it('are refused where a file or a link stands in their place', () => {
    writeFileSync(join(dir, 'file'), 'x', { mode: 0o600 });
    expect(() => ensurePrivateDirectory(join(dir, 'file', 'below'))).toThrow(
      expect.objectContaining({
        code: 'BAD_REQUEST',
        message: expect.stringContaining('cannot make the folder'),
        nextSteps: ['name a folder that can be made there'],
        cause: expect.any(Error),
      }),
    );
    symlinkSync(dir, join(dir, 'link'));
    expect(() => ensurePrivateDirectory(join(dir, 'link'))).toThrow(
      expect.objectContaining({ code: 'HOME_INSECURE', message: expect.stringContaining('is no plain directory') }),
    );
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
    expect(() => assertPrivateFile(path)).not.toThrow();
    expect(mode(path)).toBe(0o600);
    expect(readdirSync(dir)).toEqual(['f']);
  });

  it('are put in place of nothing that is no file, and leave nothing beside it', async () => {
    mkdirSync(join(dir, 'd', 'e'), { recursive: true });
    await expect(replacePrivateFile(join(dir, 'd'), 'x', random)).rejects.toMatchObject({ code: 'EISDIR' });
    await expect(createPrivateFile(join(dir, 'd'), 'x', random)).resolves.toBe(false);
    expect(readdirSync(dir)).toEqual(['d']);
  });

  it('are no files where there is no folder for them', async () => {
    const path = join(dir, 'none', 'f');
    await expect(createPrivateFile(path, 'x', random)).rejects.toMatchObject({ code: 'ENOENT' });
    await expect(replacePrivateFile(path, 'x', random)).rejects.toMatchObject({ code: 'ENOENT' });
  });

  it('are refused where a folder stands in their place, and faults are no absence', async () => {
    await expect(readPrivateFile(dir)).rejects.toMatchObject({
      code: 'HOME_INSECURE',
      details: { path: dir },
      nextSteps: [`move ${dir} away`, 'if others may have read it, treat the keys in it as known'],
    });
    writeFileSync(join(dir, 'file'), 'x', { mode: 0o600 });
    await expect(readPrivateFile(join(dir, 'file', 'below'))).rejects.toMatchObject({ code: 'ENOTDIR' });
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
    await expect(readPrivateFile(join(dir, 'link'))).rejects.toMatchObject({
      code: 'HOME_INSECURE',
      message: expect.stringContaining('is a symbolic link'),
    });
    expect(() => assertPrivateFile(join(dir, 'link'))).toThrow('is no plain file');
  });

  it('that do not exist are undefined', async () => {
    await expect(readPrivateFile(join(dir, 'none'))).resolves.toBeUndefined();
  });
});

describe('files that others write too', () => {
  it('are replaced where they hold what was read, in their mode', async () => {
    const path = join(dir, 'settings');
    expect(await replaceIfSame(path, { before: undefined, after: 'one\n' }, random)).toBe(true);
    expect(mode(path)).toBe(0o600);
    expect(await replaceIfSame(path, { before: 'one\n', after: 'two\n', mode: 0o644 }, random)).toBe(true);
    expect(readFileSync(path, 'utf8')).toBe('two\n');
    expect(mode(path)).toBe(0o644);
    expect(await replaceIfSame(path, { before: 'two\n', after: undefined }, random)).toBe(true);
    expect(readdirSync(dir)).toEqual([]);
  });

  it('leave nothing beside them where the new one cannot be made', async () => {
    const path = join(dir, 'settings');
    const impossible = { before: undefined, after: 'one\n', mode: -1 };
    await expect(replaceIfSame(path, impossible, random)).rejects.toMatchObject({ code: 'ERR_OUT_OF_RANGE' });
    expect(readdirSync(dir)).toEqual([]);
  });

  it('stay as somebody else left them, with nothing beside them', async () => {
    const path = join(dir, 'settings');
    expect(await replaceIfSame(path, { before: 'mine\n', after: 'more\n' }, random)).toBe(false);
    expect(readdirSync(dir)).toEqual([]);
    writeFileSync(path, 'them\n');
    for (const before of ['mine\n', 'longer than theirs\n', undefined])
      for (const after of ['more\n', undefined])
        expect(await replaceIfSame(path, { before, after }, random), `${before}`).toBe(false);
    expect(readFileSync(path, 'utf8')).toBe('them\n');
    expect(readdirSync(dir)).toEqual(['settings']);
    execFileSync('mkfifo', [join(dir, 'pipe')]);
    expect(await replaceIfSame(join(dir, 'pipe'), { before: '', after: 'more\n' }, random)).toBe(false);
  });
});
