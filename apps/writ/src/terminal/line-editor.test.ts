import { describe, expect, it } from 'vitest';
import { createLineEditor } from './line-editor.ts';

function editor() {
  const written: string[] = [];
  const interrupts: string[] = [];
  const at = createLineEditor(
    (text) => written.push(text),
    () => interrupts.push('interrupted'),
  );
  const type = (keys: string): void => at.take(Buffer.from(keys));
  return { at, type, interrupts, shown: () => written.join('') };
}

describe('a line that is typed', () => {
  it('is shown and mended, to the key that ends it', async () => {
    const { at, type, shown } = editor();
    const line = at.ask('answer: ', { isSecret: false });
    type('yos\u007f\bes');
    type('\u0015no\r');
    expect(await line).toBe('no');
    expect(shown()).toBe(`answer: yos\b \b\b \bes${'\b \b'.repeat(3)}no\n`);
  });

  it('is not shown where it is a secret, and keeps its letters in one piece', async () => {
    const { at, type, shown } = editor();
    const line = at.ask('passphrase: ', { isSecret: true });
    const [first = 0, ...rest] = Buffer.from('ünï🗝x');
    at.take(Buffer.from([first]));
    at.take(Buffer.from(rest));
    type('\u007f\n');
    expect(await line).toBe('ünï🗝');
    expect(shown()).toBe('passphrase: \n');
  });

  it('holds spaces and marks of any kind', async () => {
    const { at, type } = editor();
    const line = at.ask('passphrase: ', { isSecret: true });
    for (const key of ['\u00a0', 'e', '\u0301', '\u3000', '\r']) type(key);
    expect(await line).toBe('\u00a0e\u0301\u3000');
  });

  it('takes neither keys that are no text nor more than a line holds', async () => {
    const { at, type } = editor();
    const line = at.ask('', { isSecret: false });
    type('\u001b[A');
    type('\u0000\u202e\u001b[201~');
    type('x'.repeat(5000));
    type('\r');
    expect(await line).toBe('x'.repeat(4096));
  });

  it('begins when it is asked: what was typed before answers nothing', async () => {
    const { at, type } = editor();
    type('y\ry');
    const line = at.ask('', { isSecret: false });
    type('n\ry');
    expect(await line).toBe('n');
    const next = at.ask('', { isSecret: false });
    type('later\r');
    expect(await next).toBe('later');
  });

  it('ends with Ctrl-C and, while it is empty, with Ctrl-D; so does every later one', async () => {
    for (const key of ['half\u0003', '\u0004']) {
      const { at, type, interrupts } = editor();
      const line = at.ask('', { isSecret: true });
      type(key);
      await expect(line).rejects.toMatchObject({ code: 'CANCELLED' });
      await expect(at.ask('', { isSecret: true })).rejects.toMatchObject({ code: 'CANCELLED' });
      expect(interrupts).toEqual(['interrupted']);
    }
  });

  it('is one at a time', async () => {
    const { at, type } = editor();
    const line = at.ask('', { isSecret: false });
    await expect(at.ask('', { isSecret: false })).rejects.toMatchObject({ code: 'INTERNAL' });
    type('\u0004a\r');
    await expect(line).rejects.toMatchObject({ code: 'CANCELLED' });
  });
});
