import { askerLines, type KindRules, personAt, personShown, type Refusal, showLines } from '@writ/authority';
import { digestJson, isWritError, toWritError, WritError } from '@writ/core';
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
  /**
   * Whether what a yes to this question gives is in force, once that is certain; asked right after the answer. False: it
   * came to nothing. Throws where it is not in force yet, and may be at the next start.
   */
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
          const inForce = putInForce({ accept, accepted, engine, logger }, yes);
          underWay.set(id, inForce);
          void inForce.catch(() => undefined).then(() => underWay.delete(id));
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

/** Whoever answered hears what is so, also where something went wrong on the way, and the log why. */
async function putInForce(
  parts: Pick<Foundations, 'engine' | 'logger'> & {
    readonly accept: ((yes: PolicyYes) => Promise<boolean>) | undefined;
    readonly accepted: Pick<AcceptedPolicy, 'noteUnused'>;
  },
  yes: PolicyYes,
): Promise<boolean> {
  const { accept, accepted, engine, logger } = parts;
  try {
    if (await accept?.(yes)) return true;
  } catch (error) {
    const { digest, parked = [] } = engine.status();
    const isInForce = digest === yes.text && parked.length === 0;
    logger.error('what was approved of writ.toml met a fault', { error: toWritError(error).message, isInForce });
    // What could not be noted of it is at the next start: the yes is stored until then.
    if (isInForce) return true;
    if (isWritError(error, 'SHUTTING_DOWN')) throw notYet(error);
  }
  try {
    accepted.noteUnused(yes);
  } catch (error) {
    throw notYet(error);
  }
  return false;
}

function notYet(cause: unknown): WritError {
  const { code } = toWritError(cause);
  return new WritError(code, 'the yes is stored and not in force; it may be when the node has started again', {
    nextSteps: ['then see what is in force: writ policy status'],
    cause,
  });
}
