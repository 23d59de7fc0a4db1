import type { Looked } from './command-looker.ts';

/** What a look at a command came to. */
export interface KeptLook extends Looked {
  /** The generation of the policy by whose rules it was: the rules themselves would be kept for as long as it is. */
  readonly generation: number;
}

/** Most of all that is kept and that nobody holds: UTF-16 units of the commands, and commands. */
const MOST_UNITS = 4 * 1024 * 1024;
const MOST_COMMANDS = 4096;

/**
 * The last looks, of each asker by itself. Where there are too many commands, the oldest goes of whoever has most of them; where they are too
 * long together, of whoever has most of that: a flood of one pushes out nobody else's. What is held stays, for as long as it is.
 */
export interface KeptLooks {
  /** One that came to something, where anybody had one: the one of the newest policy. */
  get(command: string): KeptLook | undefined;
  /** `whose`: for whom it was looked at. */
  set(command: string, look: KeptLook, whose: string): void;
  /** Keeps what is known of a command now, and what becomes known, until what it gives is called; how many are held is for the caller to bound. */
  hold(command: string): () => void;
}

/** The looks of one asker, the oldest first. */
interface Share {
  readonly looks: Map<string, KeptLook>;
  units: number;
}

interface HeldLook {
  look: KeptLook | undefined;
  holders: number;
}

/** One holder more; what it gives is for that one to call, once. */
function addHolder(held: Map<string, HeldLook>, command: string, known: KeptLook | undefined): () => void {
  const one = held.get(command) ?? { look: known, holders: 0 };
  held.set(command, one);
  one.holders += 1;
  let isHeld = true;
  return () => {
    if (!isHeld) return;
    isHeld = false;
    one.holders -= 1;
    if (one.holders === 0) held.delete(command);
  };
}

/** What was decided is not taken away by a look that came to nothing. */
function tellHolders(held: ReadonlyMap<string, HeldLook>, command: string, look: KeptLook): void {
  const one = held.get(command);
  if (one !== undefined && (look.decided || one.look?.decided !== true)) one.look = look;
}

export function createKeptLooks(most = { units: MOST_UNITS, commands: MOST_COMMANDS }): KeptLooks {
  const shares = new Map<string, Share>();
  const held = new Map<string, HeldLook>();
  let [units, commands] = [0, 0];

  function forget(whose: string, command: string): void {
    const share = shares.get(whose);
    if (share === undefined || !share.looks.delete(command)) return;
    share.units -= command.length;
    units -= command.length;
    commands -= 1;
    if (share.looks.size === 0) shares.delete(whose);
  }

  function add(whose: string, command: string, look: KeptLook): void {
    const share = shares.get(whose) ?? { looks: new Map(), units: 0 };
    shares.set(whose, share);
    share.looks.set(command, look);
    share.units += command.length;
    units += command.length;
    commands += 1;
  }

  /** Whose share is the largest of what there is too much of, beside the one that has just come. */
  function largest(newest: { readonly whose: string; readonly command: string }): string | undefined {
    const isOfCount = commands > most.commands;
    let found: { readonly whose: string; readonly size: number } | undefined;
    for (const [whose, share] of shares) {
      const size = isOfCount ? share.looks.size : share.units;
      const others = whose === newest.whose ? size - (isOfCount ? 1 : newest.command.length) : size;
      if (others > (found?.size ?? 0)) found = { whose, size: others };
    }
    return found?.whose;
  }

  function get(command: string): KeptLook | undefined {
    const all = [held.get(command)?.look, ...[...shares.values()].map(({ looks }) => looks.get(command))];
    const found = all.filter((one) => one !== undefined);
    const decided = found.filter((one) => one.decided);
    // What was looked at by rules of before is looked at again, by the node itself.
    return decided.sort((one, other) => other.generation - one.generation)[0] ?? found[0];
  }

  return {
    get,
    set(command, look, whose) {
      tellHolders(held, command, look);
      forget(whose, command);
      add(whose, command, look);
      while (units > most.units || commands > most.commands) {
        const from = largest({ whose, command });
        const [oldest] = from === undefined ? [] : (shares.get(from)?.looks.keys() ?? []);
        if (from === undefined || oldest === undefined) return;
        forget(from, oldest);
      }
    },
    hold: (command) => addHolder(held, command, get(command)),
  };
}
