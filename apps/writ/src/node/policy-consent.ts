import { askerLines, type KindRules, personAt, personShown, type Refusal, showLines } from '@writ/authority';
import { digestJson, type Logger, toWritError, WritError } from '@writ/core';
import { identityWords } from '@writ/identity';
import type { Approval } from '@writ/lease-store';
import type { PolicyChange } from '@writ/policy';
import { type AcceptedPolicy, digestAccepted, type PolicyYes } from './accepted-policy.ts';
import type { AskPerson } from './asking.ts';
import type { Foundations } from './foundations.ts';

/** Asks an approver about what a configuration gives beyond what was accepted. */
export interface PolicyConsent {
  /** What a question of kind `policy` about the configuration is about. */
  readonly rules: KindRules;
  /** Asks about what waits; throws CONFLICT where nothing does, and what keeps it from being asked. */
  ask(ask: AskPerson): Approval;
  /** `accept` puts what was approved in force; false where something else is loaded or accepted by then. */
  bind(accept: (yes: PolicyYes) => Promise<boolean>): void;
  /** Whether what a yes to this question gives is in force, once that is certain; asked right after the answer. */
  isInForce(approval: string): Promise<boolean>;
}

/** How long it can be answered, milliseconds. */
const ANSWER_MS = 600_000;

const DOES_NOT_LOAD: Refusal = {
  code: 'CONFIG_INVALID',
  message: 'writ.toml does not load any more, so that a yes brings nothing into force; the question waits on',
  nextSteps: [
    'see why: writ policy status',
    'mend the file, or put back what was asked about; then answer again, or ask anew: writ policy reload --accept',
  ],
};

export function createPolicyConsent({
  engine,
  identity,
  accepted,
  logger,
}: Pick<Foundations, 'engine' | 'identity' | 'logger'> & { readonly accepted: AcceptedPolicy }): PolicyConsent {
  let accept: ((yes: PolicyYes) => Promise<boolean>) | undefined;
  /** Answers that are being put in force, by question. */
  const underWay = new Map<string, Promise<boolean>>();
  const termsNow = (): Terms | undefined => {
    const { digest: text, parked = [] } = engine.status();
    return parked.length === 0 ? undefined : { text, accepted: digestAccepted(engine.acceptedTexts()), gains: parked };
  };
  return {
    rules: {
      // What is loaded is not in the file any more: a yes to it would come to nothing, and is not taken.
      refusal: () => (engine.status().lastError === undefined ? undefined : DOES_NOT_LOAD),
      digestNow() {
        const terms = termsNow();
        return terms && digestOf(terms);
      },
      settle(tx, { id, state, decidedBy = 'person' }) {
        const terms = state === 'approved' ? termsNow() : undefined;
        if (terms === undefined) return;
        const yes: PolicyYes = { text: terms.text, accepted: terms.accepted };
        accepted.approve(tx, yes, decidedBy);
        tx.afterCommit(() => {
          const inForce = putInForce({ accept, accepted, logger }, yes);
          underWay.set(id, inForce);
          void inForce.then(() => underWay.delete(id));
        });
      },
    },
    ask(ask) {
      const terms = termsNow();
      if (terms === undefined) {
        throw new WritError('CONFLICT', 'nothing in writ.toml waits for a yes', { nextSteps: ['writ policy status'] });
      }
      const asker = personAt(identity.public.id);
      const { approval } = ask({
        ...{ kind: 'policy', asker, digest: digestOf(terms), subject: { text: terms.text }, scopes: ['once'] },
        preview: showLines([
          ...askerLines(personShown(identityWords(identity.public.id)), asker),
          { label: 'accept writ.toml, SHA-256', text: terms.text },
          ...terms.gains.map(({ subject, what }) => ({ label: 'it gives', text: `${subject}: ${what}` })),
        ]),
        lifetimeMs: ANSWER_MS,
      });
      return approval;
    },
    isInForce: (approval) => underWay.get(approval) ?? Promise.resolve(true),
    bind(bound) {
      accept = bound;
    },
  };
}

/** What is loaded, what was accepted before it, and what it gives beyond that. */
interface Terms extends PolicyYes {
  readonly gains: readonly PolicyChange[];
}

/** INVARIANT: 5 a yes is to this text, to what it gives, and over what was accepted then. */
function digestOf({ text, accepted, gains }: Terms): string {
  const said = gains.map(({ subject, effect, what }) => ({ subject, effect, what }));
  return digestJson({ is: 'writ policy widening 1', text, accepted, gains: said });
}

/** Never rejects: whoever answered hears that it is not in force, and the log why. */
async function putInForce(
  parts: {
    readonly accept: ((yes: PolicyYes) => Promise<boolean>) | undefined;
    readonly accepted: Pick<AcceptedPolicy, 'noteUnused'>;
    readonly logger: Logger;
  },
  yes: PolicyYes,
): Promise<boolean> {
  try {
    if (await parts.accept?.(yes)) return true;
    parts.accepted.noteUnused(yes);
  } catch (error) {
    parts.logger.error('what was approved of writ.toml is not in force', { error: toWritError(error).message });
  }
  return false;
}
