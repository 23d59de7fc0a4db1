import { type Automaton, createAutomaton } from './automaton.ts';
import { type Forms, formsOf } from './forms.ts';

/** What is looked for, by the way in which a stream is read; undefined where nothing is. */
export type Sought = { readonly [way in keyof Forms]: Automaton | undefined };

/** Most secrets that a run is told while it runs, and bytes of all of them: each costs memory, and time when it comes. */
const MOST_TOLD = 32;
const MOST_TOLD_BYTES = 32 * 1024;

/** The secrets of one run; more may become known while it writes. */
export interface KnownSecrets {
  /** Known from now on, also in what was held back; false where it would be more than a run is told, and stays unknown. */
  tell(secret: Uint8Array): boolean;
  /** The same one as long as nothing is added. */
  sought(): Sought;
}

/** `secrets`: those that it is started with. */
export function createKnownSecrets(secrets: readonly Uint8Array[]): KnownSecrets {
  const known = { plain: new Map<string, Buffer>(), escaped: new Map(), encoded: new Map() } satisfies Record<
    keyof Forms,
    Map<string, Buffer>
  >;
  let sought: Sought | undefined;
  const add = (secret: Uint8Array): void => {
    for (const [way, forms] of Object.entries(formsOf(secret)) as [keyof Forms, readonly Buffer[]][]) {
      for (const form of forms) {
        const key = form.toString('latin1');
        if (known[way].has(key)) continue;
        known[way].set(key, form);
        sought = undefined;
      }
    }
  };
  secrets.forEach(add);
  let [told, toldBytes] = [0, 0];
  return {
    tell(secret) {
      if (told >= MOST_TOLD || toldBytes + secret.length > MOST_TOLD_BYTES) return false;
      told += 1;
      toldBytes += secret.length;
      add(secret);
      return true;
    },
    sought() {
      sought ??= {
        plain: createAutomaton([...known.plain.values()]),
        escaped: createAutomaton([...known.escaped.values()]),
        encoded: createAutomaton([...known.encoded.values()]),
      };
      return sought;
    },
  };
}
