import type { CommandRule } from '@writ/policy';
import type { Looked } from './command-looker.ts';

/** What a look at a command came to. */
export interface KeptLook extends Looked {
  /** The owner's rules that it was by. */
  readonly rules: readonly CommandRule[];
  /** In whose turn it was. */
  readonly whose: string;
}

/** Most of all that is kept: UTF-16 units of the commands, and commands. */
const MOST_UNITS = 4 * 1024 * 1024;
const MOST_COMMANDS = 4096;

/** The last looks. Where there are too many, the oldest of whoever has most goes: a flood of one pushes out nobody else's. */
export interface KeptLooks {
  get(command: string): KeptLook | undefined;
  set(command: string, look: KeptLook): void;
}

export function createKeptLooks(most = { units: MOST_UNITS, commands: MOST_COMMANDS }): KeptLooks {
  const looks = new Map<string, KeptLook>();
  const unitsOf = new Map<string, number>();
  let units = 0;

  function count(whose: string, more: number): void {
    const all = (unitsOf.get(whose) ?? 0) + more;
    if (all > 0) unitsOf.set(whose, all);
    else unitsOf.delete(whose);
    units += more;
  }

  function forget(command: string): void {
    const look = looks.get(command);
    if (look === undefined) return;
    looks.delete(command);
    count(look.whose, -command.length);
  }

  /** Not the one that has just come. */
  function oldestOfLargest(newest: string): string | undefined {
    let found: { readonly command: string; readonly units: number } | undefined;
    for (const [command, { whose }] of looks) {
      if (command === newest) continue;
      const own = (unitsOf.get(whose) ?? 0) - (looks.get(newest)?.whose === whose ? newest.length : 0);
      if (found === undefined || own > found.units) found = { command, units: own };
    }
    return found?.command;
  }

  return {
    get: (command) => looks.get(command),
    set(command, look) {
      forget(command);
      looks.set(command, look);
      count(look.whose, command.length);
      while (units > most.units || looks.size > most.commands) {
        const oldest = oldestOfLargest(command);
        if (oldest === undefined) return;
        forget(oldest);
      }
    },
  };
}
