import { type Cancel, type Clock, type Logger, toWritError } from '@writ/core';
import type { NodeIdentity } from './types.ts';

/** How often a running node looks whether its keys are due, milliseconds. */
const LOOK_EVERY_MS = 3_600_000;

/** Rotates a running node's TLS and signing keys when they are due; a failure is logged and tried again. */
export function rotateWhenDue(
  identity: NodeIdentity,
  options: { readonly clock: Clock; readonly logger: Logger },
): Cancel {
  const look = async (): Promise<void> => {
    if (options.clock.nowMs() < identity.rotationDueAtMs()) return;
    try {
      await identity.rotate();
      options.logger.info('rotated tls and signing keys', { node: identity.public.id });
    } catch (error) {
      options.logger.error('could not rotate keys', { error: toWritError(error).message });
    }
  };
  return options.clock.setEvery(LOOK_EVERY_MS, () => void look());
}
