import { type Logger, toWritError } from '@writ/core';
import type { PolicyEngine } from '@writ/policy';

/**
 * Opens the address under `key`. Where that fails and another one waits for a yes, the node serves without it:
 * nobody can say yes to a node that does not run.
 */
export async function bindAddress<T>(
  { engine, logger }: { readonly engine: PolicyEngine; readonly logger: Logger },
  key: string,
  bind: () => Promise<T>,
): Promise<T | undefined> {
  try {
    return await bind();
  } catch (error) {
    if (!engine.status().addressesWaiting.includes(key)) throw error;
    const reason = toWritError(error).message;
    logger.warn('an address is not served, and the one in writ.toml waits for a yes', { key, reason });
    return undefined;
  }
}
