import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { readCheckpoint } from '../../note/checkpoint.ts';
import { splitNotes } from '../../note/signed-note.ts';
import { count } from './rows.ts';
import type { Tampering, Victim } from './types.ts';

/** What can be done to checkpoints, and to everything at once. */
export const SIGNED_TAMPERINGS: readonly Tampering[] = [
  ...(['size', 'root', 'signature'] as const).map((part) => ({
    name: `checkpoint: change its ${part}`,
    apply(victim: Victim) {
      const { notes, rest } = splitNotes(readFileSync(victim.files.checkpoints, 'utf8'));
      const at = victim.pick(0, notes.length - 1);
      const changed = change(notes[at] ?? '', part);
      writeFileSync(victim.files.checkpoints, notes.with(at, changed).join('') + rest);
      return { where: ['checkpoint'], kind: ['bad-signature', 'unknown-key', 'unreadable'] } as const;
    },
  })),
  {
    name: 'checkpoint: take all away',
    apply(victim) {
      rmSync(victim.files.checkpoints);
      rmSync(victim.files.checkpoint);
      return { where: ['checkpoint'], kind: ['missing'] };
    },
  },
  {
    name: 'everything: change an entry in rows, file and hashes alike',
    async apply(victim) {
      const entry = victim.pick(1, victim.size);
      const { checkpoints, checkpoint, signers } = victim.files;
      const kept = [checkpoints, checkpoint, signers].map((path) => [path, readFileSync(path)] as const);
      edit(victim, entry);
      await victim.rewrite('another');
      for (const [path, bytes] of kept) writeFileSync(path, bytes);
      return { where: ['rows'], kind: ['edited'], entry };
    },
  },
  {
    name: 'everything: change an entry and sign with another key',
    async apply(victim) {
      edit(victim, victim.pick(1, victim.size));
      await victim.rewrite('another');
      return { where: ['checkpoint'], kind: ['bad-signature', 'unknown-key', 'another-log'] };
    },
  },
  {
    name: 'everything: change an entry and sign with the key of the node',
    async apply(victim) {
      const entry = victim.pick(1, victim.size);
      edit(victim, entry);
      await victim.rewrite('own');
      return { where: ['kept-checkpoint'], kind: ['forked'], entry, needsKept: true };
    },
  },
  {
    name: 'everything: cut the tail and sign with the key of the node',
    async apply(victim) {
      const entry = victim.pick(2, victim.size);
      victim.rows((db) => {
        db.prepare('DELETE FROM audit WHERE seq >= ?').run(entry);
        count(db, entry - 1);
      });
      await victim.rewrite('own');
      return { where: ['kept-checkpoint'], kind: ['cut'], entry, needsKept: true };
    },
  },
];

function edit(victim: Victim, entry: number): void {
  victim.rows((db) => db.prepare(`UPDATE audit SET actor = 'nobody' WHERE seq = ?`).run(entry));
}

function change(note: string, part: 'size' | 'root' | 'signature'): string {
  const { size = 0 } = readCheckpoint(note) ?? {};
  if (part === 'size') return note.replace(`\n${size}\n`, `\n${size + 1}\n`);
  const lines = note.split('\n');
  const at = part === 'root' ? 2 : lines.length - 2;
  // A character of base64 that stands for whole bits.
  const changed = (lines[at] ?? '').replace(/[A-Za-z0-9+/](?=.{4}$)/, (char) => (char === 'A' ? 'B' : 'A'));
  return lines.with(at, changed).join('\n');
}
