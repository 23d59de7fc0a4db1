import type { BundleTampering } from './types.ts';

/** Ways to say another thing to a person, to `grep` or to another parser, with the same value to this one. */
const SPELLINGS: Readonly<Record<string, (line: string) => string>> = {
  'put a key twice into an entry': (line) => line.replace('"entry":{', '"entry":{"action":"forged",'),
  'put a key twice into its details': (line) => line.replace('"details":{', '"details":{"number":0,'),
  'put a key twice into its line': (line) => line.replace('{', '{"entry":{},'),
  'escape a letter': (line) => line.replace('"actor":"n', '"actor":"\\u006e'),
  'spell a number another way': (line) => line.replace(/"seq":\d+/, '$&.0'),
  'put space between': (line) => line.replaceAll(',"', ', "'),
  'end a line as another system does': (line) => `${line}\r`,
  'exchange two keys': (line) => line.replace(/("action":"[^"]*"),("actor":"[^"]*")/, '$2,$1'),
  'change what it says': (line) => line.replace('"actor":"node"', '"actor":"nobody"'),
};

/** What can be done to a bundle. */
export const BUNDLE_TAMPERINGS: readonly BundleTampering[] = [
  ...Object.entries(SPELLINGS).map(([name, spell]) => ({
    name: `bundle: ${name}`,
    change: (lines: readonly string[], pick: (from: number, to: number) => number) => {
      const entry = pick(1, lines.length - 1);
      return { lines: lines.with(entry, spell(lines[entry] ?? '')), entry };
    },
  })),
  {
    name: 'bundle: change a character',
    change(lines, pick) {
      const entry = pick(0, lines.length - 1);
      const line = lines[entry] ?? '';
      const at = pick(0, line.length - 1);
      const changed = line.slice(0, at) + (line[at] === '0' ? '1' : '0') + line.slice(at + 1);
      return { lines: lines.with(entry, changed), entry };
    },
  },
  {
    name: 'bundle: put a key twice into its head',
    change: (lines) => ({ lines: lines.with(0, (lines[0] ?? '').replace('{', '{"node":"wn-forged",')), entry: 0 }),
  },
  {
    name: 'bundle: put a key into its head that nobody reads',
    change: (lines) => ({ lines: lines.with(0, (lines[0] ?? '').replace('{', '{"note":"all is well",')), entry: 0 }),
  },
  {
    name: 'bundle: drop an entry',
    change(lines, pick) {
      const entry = pick(1, lines.length - 1);
      return { lines: lines.toSpliced(entry, 1), entry };
    },
  },
  {
    name: 'bundle: write an entry twice',
    change(lines, pick) {
      const entry = pick(1, lines.length - 1);
      return { lines: lines.toSpliced(entry, 0, lines[entry] ?? ''), entry };
    },
  },
];
