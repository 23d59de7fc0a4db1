/**
 * Credentials on their way to the process that asked: in memory alone, each handed out once, zeroed afterwards. What the
 * node forgets when it stops is asked for again.
 */
export interface Secrets {
  /** Somebody waits for the answer to this question; until then, and after `forget`, nothing is kept for it. */
  expect(task: string, question: string): void;
  /** Keeps a copy for who waits. */
  put(task: string, question: string, secret: Uint8Array): void;
  /** The secret as text, once. */
  take(task: string, question: string): string | undefined;
  forget(task: string, question: string): void;
}

export function createSecrets(): Secrets {
  const kept = new Map<string, Uint8Array>();
  const keyOf = (task: string, question: string): string => `${question} ${task}`;
  const clear = (key: string): void => {
    kept.get(key)?.fill(0);
    kept.delete(key);
  };
  return {
    expect(task, question) {
      kept.set(keyOf(task, question), new Uint8Array());
    },
    put(task, question, secret) {
      const key = keyOf(task, question);
      if (kept.has(key)) kept.set(key, Uint8Array.from(secret));
    },
    take(task, question) {
      const key = keyOf(task, question);
      const text = new TextDecoder().decode(kept.get(key));
      clear(key);
      return text === '' ? undefined : text;
    },
    forget: (task, question) => clear(keyOf(task, question)),
  };
}
