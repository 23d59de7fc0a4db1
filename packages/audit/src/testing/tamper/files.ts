import { readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { entryFile, firstEntryOf } from '../../log/layout.ts';
import { HASH_BYTES } from '../../merkle/hashing.ts';
import { placeOf, storedCount } from '../../merkle/stored-hashes.ts';
import type { Tampering, Victim } from './types.ts';

/** What can be done to the files of entries and hashes. */
export const FILE_TAMPERINGS: readonly Tampering[] = [
  {
    name: 'file: change a character',
    apply(victim) {
      const entry = victim.pick(1, victim.size);
      changeLine(victim, entry, (line) => {
        const at = victim.pick(0, line.length - 1);
        return line.slice(0, at) + (line[at] === '#' ? '$' : '#') + line.slice(at + 1);
      });
      return { where: ['file'], kind: ['edited', 'unreadable'], entry };
    },
  },
  {
    name: 'file: change what an entry says',
    apply(victim) {
      const entry = victim.pick(1, victim.size);
      changeLine(victim, entry, (line) => line.replace('"actor":"node"', '"actor":"nobody"'));
      return { where: ['file'], kind: ['edited'], entry };
    },
  },
  {
    name: 'file: write an entry in another spelling',
    apply(victim) {
      const entry = victim.pick(1, victim.size);
      changeLine(victim, entry, (line) => line.replace('{', '{ '));
      return { where: ['file'], kind: ['edited'], entry };
    },
  },
  {
    name: 'file: put a key twice into an entry',
    apply(victim) {
      const entry = victim.pick(1, victim.size);
      changeLine(victim, entry, (line) => line.replace('{', '{"action":"forged",'));
      return { where: ['file'], kind: ['edited'], entry };
    },
  },
  {
    name: 'file: drop a line',
    apply(victim) {
      const entry = victim.pick(1, victim.size);
      changeLines(victim, entry, (lines, at) => lines.toSpliced(at, 1));
      return { where: ['file'], kind: entry === victim.size ? ['cut'] : ['missing'], entry };
    },
  },
  {
    name: 'file: drop a line and number the rest anew',
    apply(victim) {
      const entry = victim.pick(1, victim.size - 1);
      changeLines(victim, entry, (lines, at) =>
        lines.toSpliced(at, 1).map((line, n) => (n < at ? line : renumber(line, -1))),
      );
      return { where: ['file'], kind: ['edited', 'missing', 'cut'], entry };
    },
  },
  {
    name: 'file: write a line twice',
    apply(victim) {
      const entry = victim.pick(1, victim.size);
      changeLines(victim, entry, (lines, at) => lines.toSpliced(at, 0, lines[at] ?? ''));
      return { where: ['file'], kind: ['duplicate'], entry };
    },
  },
  {
    name: 'file: exchange two lines',
    apply(victim) {
      const entry = victim.pick(1, victim.size);
      let low = entry;
      changeLines(victim, entry, (lines, at) => {
        const other = victim.pick(0, lines.length - 1);
        if (other === at) {
          // The first one to the end.
          low = entry - at;
          return [...lines.slice(1), ...lines.slice(0, 1)];
        }
        low = entry - Math.max(0, at - other);
        return lines.with(at, lines[other] ?? '').with(other, lines[at] ?? '');
      });
      return { where: ['file'], kind: ['reordered', 'edited', 'missing', 'duplicate', 'cut'], entry: low };
    },
  },
  {
    name: 'file: cut the tail',
    apply(victim) {
      const entry = victim.pick(2, victim.size);
      changeLines(victim, entry, (lines, at) => lines.slice(0, at));
      const { first } = entryFile(victim.files, entry);
      for (const name of readdirSync(victim.files.dir)) {
        if ((firstEntryOf(name) ?? 0) > first) rmSync(join(victim.files.dir, name));
      }
      return { where: ['file'], kind: ['cut'], entry };
    },
  },
  {
    name: 'file: take one file away',
    apply(victim) {
      const entry = victim.pick(1, victim.size);
      const { path, first } = entryFile(victim.files, entry);
      const isLast = entryFile(victim.files, victim.size).path === path;
      rmSync(path);
      return { where: ['file'], kind: isLast ? ['cut'] : ['missing'], entry: first };
    },
  },
  {
    name: 'file: add an entry',
    apply(victim) {
      changeLines(victim, victim.size, (lines) => [...lines, renumber(lines.at(-1) ?? '', 1)]);
      return { where: ['rows'], kind: ['cut'], entry: victim.size + 1 };
    },
  },
  {
    name: 'hashes: change one',
    apply(victim) {
      const entry = victim.pick(1, victim.size);
      flip(victim, placeOf(0, entry - 1));
      return { where: ['hashes'], kind: ['edited'], entry };
    },
  },
  {
    name: 'hashes: change one over two entries',
    apply(victim) {
      const pair = victim.pick(0, Math.floor(victim.size / 2) - 1);
      flip(victim, placeOf(1, pair));
      return { where: ['hashes'], kind: ['edited'], entry: 2 * pair + 2 };
    },
  },
  {
    name: 'hashes: cut',
    apply(victim) {
      truncateSync(victim.files.hashes, victim.pick(0, storedCount(victim.size) * HASH_BYTES - 1));
      return { where: ['hashes'], kind: ['cut'] };
    },
  },
];

function changeLine(victim: Victim, entry: number, change: (line: string) => string): void {
  changeLines(victim, entry, (lines, at) => lines.with(at, change(lines[at] ?? '')));
}

/** Changes the lines of the file with that entry, which stands at place `at` of them. */
function changeLines(
  victim: Victim,
  entry: number,
  change: (lines: readonly string[], at: number) => readonly string[],
): void {
  const { path, first } = entryFile(victim.files, entry);
  const lines = readFileSync(path, 'utf8').split('\n').slice(0, -1);
  writeFileSync(
    path,
    change(lines, entry - first)
      .map((line) => `${line}\n`)
      .join(''),
  );
}

function renumber(line: string, by: number): string {
  return line.replace(/"seq":(\d+)/, (_, seq: string) => `"seq":${Number(seq) + by}`);
}

function flip(victim: Victim, place: number): void {
  const bytes = readFileSync(victim.files.hashes);
  const at = place * HASH_BYTES + victim.pick(0, HASH_BYTES - 1);
  bytes[at] = (bytes[at] ?? 0) ^ (1 << victim.pick(0, 7));
  writeFileSync(victim.files.hashes, bytes);
}
