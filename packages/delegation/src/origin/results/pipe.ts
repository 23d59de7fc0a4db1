/** Bytes that one side gives, piece by piece, and another takes when it is ready. */
export interface Pipe {
  readonly bytes: AsyncIterable<Uint8Array>;
  /** Resolves when the piece has been dealt with. Pieces are given one after the other. */
  give(piece: Uint8Array): Promise<void>;
  end(): void;
  /** The taking side gets this instead of an end. */
  fail(error: Error): void;
}

type Step =
  | { readonly kind: 'piece'; readonly piece: Uint8Array; readonly taken: () => void }
  | { readonly kind: 'end' }
  | { readonly kind: 'failure'; readonly error: Error };

export function createPipe(): Pipe {
  const steps: Step[] = [];
  let wake: () => void = () => {};
  const add = (step: Step): void => {
    steps.push(step);
    wake();
  };
  const next = async (): Promise<Step> => {
    for (;;) {
      const step = steps.shift();
      if (step) return step;
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
  };
  async function* bytes(): AsyncGenerator<Uint8Array> {
    for (;;) {
      const step = await next();
      if (step.kind === 'end') return;
      if (step.kind === 'failure') throw step.error;
      yield step.piece;
      step.taken();
    }
  }
  return {
    bytes: bytes(),
    give: (piece) => new Promise((taken) => add({ kind: 'piece', piece, taken })),
    end: () => add({ kind: 'end' }),
    fail: (error) => add({ kind: 'failure', error }),
  };
}
