import type { ServerContext } from '@modelcontextprotocol/server';
import type { ProgressNote } from '../types.ts';

/** How a call tells its client how far it is; nothing where the client did not ask for that. */
export function progressOf({ mcpReq }: ServerContext): { readonly progress?: (note: ProgressNote) => void } {
  const progressToken = mcpReq._meta?.progressToken;
  if (progressToken === undefined) return {};
  let told = 0;
  return {
    progress({ message }) {
      // The protocol wants a number that grows; there is no total to measure it against.
      told += 1;
      const params = { progressToken, progress: told, message };
      // A client that is gone by now hears nothing, and nothing hangs on it.
      void mcpReq.notify({ method: 'notifications/progress', params }).catch(() => {});
    },
  };
}
