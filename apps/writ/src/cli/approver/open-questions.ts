import type { ApprovalView } from '@writ/gateway/client';

/** The questions that one watch knows of, in the order in which they are asked about. */
export interface OpenQuestions {
  /** Takes a question as it is now. Says whether it ended while it was on the screen, or left for later. */
  saw(approval: ApprovalView): 'ended-on-screen' | 'ended-left' | undefined;
  /** The next one to ask about, once there is one; undefined after `close`. */
  next(): Promise<ApprovalView | undefined>;
  /** It is on the screen from now on. */
  show(id: string): void;
  /** Whether the one that is on the screen has ended there. */
  hasEnded(): boolean;
  /** The one that is on the screen is left for later. */
  leave(): void;
  /** It is answered. */
  done(): void;
  /** How many are left for later. */
  left(): number;
  close(): void;
}

export function createOpenQuestions(): OpenQuestions {
  const waiting: ApprovalView[] = [];
  const later = new Set<string>();
  let shown: { readonly id: string; hasEnded: boolean } | undefined;
  let isClosed = false;
  let wake: () => void = () => undefined;
  return {
    saw(approval) {
      const { id } = approval;
      const at = waiting.findIndex((one) => one.id === id);
      if (approval.state === 'pending') {
        if (at < 0 && shown?.id !== id && !later.has(id)) waiting.push(approval);
        wake();
        return undefined;
      }
      if (at >= 0) waiting.splice(at, 1);
      if (later.delete(id)) return 'ended-left';
      if (shown?.id !== id) return undefined;
      shown.hasEnded = true;
      return 'ended-on-screen';
    },
    async next() {
      shown = undefined;
      while (waiting.length === 0 && !isClosed) {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
      return isClosed ? undefined : waiting.shift();
    },
    show(id) {
      shown = { id, hasEnded: false };
    },
    hasEnded: () => shown?.hasEnded === true,
    leave() {
      if (shown !== undefined) later.add(shown.id);
      shown = undefined;
    },
    done() {
      shown = undefined;
    },
    left: () => later.size,
    close() {
      isClosed = true;
      wake();
    },
  };
}
