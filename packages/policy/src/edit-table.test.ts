import { describe, expect, it } from 'vitest';
import { readTable, removeTable, setTable } from './edit-table.ts';

const TEXT = `# mine
model = "x" # kept

[servers.other] # theirs
command = "other"

# the last
[tail]
on = true
`;

const keys = ['servers', 'writ'] as const;

describe('a table of a configuration', () => {
  it('is put behind its siblings, and every line that was there stays', () => {
    const text = setTable(TEXT, keys, { command: 'node', args: ['a "b"', '--'] });
    expect(readTable(text, keys)).toEqual({ command: 'node', args: ['a "b"', '--'] });
    expect(TEXT.split('\n').filter((line) => !text.split('\n').includes(line))).toEqual([]);
    expect(text.indexOf('[servers.writ]')).toBeLessThan(text.indexOf('[tail]'));
  });

  it('is put in place of the one that is there', () => {
    const once = setTable(TEXT, keys, { command: 'node', args: ['old'], env: { A: '1' } });
    const twice = setTable(once, keys, { command: 'node', args: ['new'] });
    expect(readTable(twice, keys)).toEqual({ command: 'node', args: ['new'] });
    expect(twice).toContain('# theirs');
  });

  it('is taken out again as it came', () => {
    for (const table of [{ command: 'node' }, { command: 'node', env: { A: '1' } }]) {
      expect(removeTable(setTable(TEXT, keys, table), keys)).toBe(TEXT);
    }
  });

  it('begins a text that is empty, and leaves none behind', () => {
    const text = setTable('', keys, { command: 'node' });
    expect(text).toBe('[servers.writ]\ncommand = "node"\n');
    expect(removeTable(text, keys).trim()).toBe('');
  });

  it('is found where it is written inline or dotted', () => {
    for (const text of ['servers = { writ = { command = "node" } }\n', 'servers.writ.command = "node"\n']) {
      expect(readTable(text, keys)).toEqual({ command: 'node' });
      expect(readTable(setTable(text, keys, { command: 'other' }), keys)).toEqual({ command: 'other' });
      expect(readTable(removeTable(text, keys), keys)).toBeUndefined();
    }
  });

  it('keeps the line ends of the text', () => {
    const text = setTable(TEXT.replaceAll('\n', '\r\n'), keys, { command: 'node' });
    expect(text.replaceAll('\r\n', '')).not.toContain('\n');
  });

  it('is refused where something else stands on the way, or the text is broken', () => {
    for (const text of ['servers = 1\n', 'servers = [\n']) {
      expect(() => setTable(text, keys, {})).toThrow(expect.objectContaining({ code: 'CONFIG_INVALID' }));
    }
    expect(() => removeTable(TEXT, keys)).toThrow(expect.objectContaining({ code: 'NOT_FOUND' }));
  });
});
