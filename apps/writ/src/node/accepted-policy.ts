import { canonicalJson, nextTurn, sha256Hex } from '@writ/core';
import type { Database, WriteTx } from '@writ/database';
import type { NodeFactStore } from '@writ/lease-store';
import type { AcceptedText, ReloadOutcome } from '@writ/policy';

/** Fact of a node: the digests of the accepted texts, as a list in JSON. */
const ACCEPTED_KEY = 'policy.accepted';
/** Facts of a node: each of those texts under its digest; the rest of a long one in parts, with a dot and their number behind it. */
const TEXT_PREFIX = 'policy.text.';

/** Characters that are stored at once: what is written in one piece holds up everybody else. */
const PART_CHARS = 64 * 1024;

/** Fact of a node: the yes of an approver until it is in force. */
const APPROVED_KEY = 'policy.approved';
/** Fact of a node: when a yes came to nothing, milliseconds; until nothing waits any more. */
const UNUSED_KEY = 'policy.approval-unused';

/** What an approver said yes to: a text, over what was accepted before it. */
export interface PolicyYes {
  /** SHA-256 of the text, hex. */
  readonly text: string;
  /** Digest of the accepted texts of that moment, as `digestAccepted` gives it. */
  readonly accepted: string;
}

/** One digest of what is accepted: the texts in their order. */
export function digestAccepted(accepted: readonly Pick<AcceptedText, 'digest'>[]): string {
  return sha256Hex(listOf(accepted));
}

/**
 * Remembers what a person has accepted last and what has been taken away since, so that a restart is no way around
 * asking: what a file gives beyond it waits.
 */
export interface AcceptedPolicy {
  /**
   * Texts of what was noted last, empty where they are not whole, for a start with this text. Undefined where that is
   * accepted itself: before the first start, and where an approver said yes to it and the node ended before it was in force.
   */
  read(text: string): readonly string[] | undefined;
  /** Stores the yes of an approver, in the transaction of the decision. */
  approve(tx: WriteTx, yes: PolicyYes, by: string): void;
  /** Notes that a stored yes came to nothing: what it was to is loaded no more. It never comes back to life. */
  noteUnused(yes: PolicyYes): void;
  /** When the last yes came to nothing, as long as something waits. */
  unusedAtMs(): number | undefined;
  /**
   * Notes the outcome of a reload in the audit trail, and what is accepted now (`PolicyEngine.acceptedTexts()`). Others
   * have their turn between two texts, which may be long.
   */
  note(text: string, outcome: ReloadOutcome, how: string, accepted: readonly AcceptedText[]): Promise<void>;
}

export function createAcceptedPolicy(database: Database, facts: NodeFactStore): AcceptedPolicy {
  return {
    read: (text) =>
      database.withReadTx((tx) => {
        const yes: PolicyYes = { text: sha256Hex(text), accepted: sha256Hex(facts.get(tx, ACCEPTED_KEY) ?? '') };
        if (facts.get(tx, APPROVED_KEY) === canonicalJson({ ...yes })) return undefined;
        return readAcceptedTexts((key) => facts.get(tx, key));
      }),
    approve(tx, yes, by) {
      facts.set(tx, APPROVED_KEY, canonicalJson({ ...yes }));
      tx.audit({ kind: 'policy', action: 'policy.approved', actor: by, details: { ...yes } });
    },
    noteUnused(yes) {
      database.withWriteTx((tx) => {
        facts.remove(tx, APPROVED_KEY);
        facts.set(tx, UNUSED_KEY, String(tx.nowMs));
        tx.audit({ kind: 'policy', action: 'policy.approval-unused', actor: 'node', details: { ...yes } });
      });
    },
    unusedAtMs() {
      const stored = database.withReadTx((tx) => facts.get(tx, UNUSED_KEY));
      return stored === undefined ? undefined : Number(stored);
    },
    async note(text, outcome, how, accepted) {
      await nextTurn();
      const digest = sha256Hex(text);
      await nextTurn();
      await storeTexts(database, facts, accepted);
      const digests = listOf(accepted);
      database.withWriteTx((tx) => {
        tx.audit({
          kind: 'policy',
          action: outcome.reloaded ? 'policy.reloaded' : 'policy.reload-failed',
          actor: how === 'watcher' || how === 'proposal' ? 'node' : 'person',
          details: {
            how,
            generation: outcome.generation,
            digest,
            waits: outcome.parked?.length ?? 0,
            violations: outcome.violations?.length ?? 0,
          },
        });
        if (facts.get(tx, ACCEPTED_KEY) !== digests) facts.set(tx, ACCEPTED_KEY, digests);
        // A yes is good for the next load, which is this one, and never comes back to life.
        facts.remove(tx, APPROVED_KEY);
        if (outcome.reloaded && !outcome.parked?.length) facts.remove(tx, UNUSED_KEY);
        const kept = new Set(accepted.flatMap(({ digest, text }) => partsOf(text).map((_, at) => keyOf(digest, at))));
        for (const key of facts.keys(tx, TEXT_PREFIX)) if (!kept.has(key)) facts.remove(tx, key);
      });
    },
  };
}

/** What `AcceptedPolicy.note` has stored, from wherever facts are read. */
export function readAcceptedTexts(get: (key: string) => string | undefined): readonly string[] | undefined {
  const stored = get(ACCEPTED_KEY);
  if (stored === undefined) return undefined;
  const texts = parseDigests(stored).map((digest) => readText(digest, get));
  const whole = texts.filter((text) => text !== undefined);
  return whole.length === texts.length ? whole : [];
}

/** A text is what its digest says, or none. */
function readText(digest: string, get: (key: string) => string | undefined): string | undefined {
  let text = '';
  for (let at = 0; ; at++) {
    const part = get(keyOf(digest, at));
    if (part === undefined) return sha256Hex(text) === digest ? text : undefined;
    text += part;
  }
}

/** They are referred to only once they are all there: what a crash leaves is what was accepted before. */
async function storeTexts(database: Database, facts: NodeFactStore, accepted: readonly AcceptedText[]): Promise<void> {
  const known = new Set(database.withReadTx((tx) => facts.keys(tx, TEXT_PREFIX)));
  for (const { digest, text } of accepted.filter((one) => !known.has(keyOf(one.digest, 0)))) {
    // The first one last: by it a text is known to be there.
    for (const [at, part] of [...partsOf(text).entries()].reverse()) {
      database.withWriteTx((tx) => facts.set(tx, keyOf(digest, at), part));
      await nextTurn();
    }
  }
}

function listOf(accepted: readonly Pick<AcceptedText, 'digest'>[]): string {
  return JSON.stringify(accepted.map(({ digest }) => digest));
}

function partsOf(text: string): readonly string[] {
  const parts: string[] = [];
  let from = 0;
  do {
    // Never between the two halves of one character, which are no text alone.
    const to = from + PART_CHARS - (/[\ud800-\udbff]/.test(text.charAt(from + PART_CHARS - 1)) ? 1 : 0);
    parts.push(text.slice(from, to));
    from = to;
  } while (from < text.length);
  return parts;
}

function keyOf(digest: string, part: number): string {
  return `${TEXT_PREFIX}${digest}${part === 0 ? '' : `.${part}`}`;
}

function parseDigests(stored: string): readonly string[] {
  try {
    const parsed: unknown = JSON.parse(stored);
    return Array.isArray(parsed) ? parsed.map(String) : [];
  } catch {
    return [];
  }
}
