import { errorFromJson, isWritError, WritError, type WritErrorJson } from '@writ/core';

const NOBODY_LISTENS = new Set(['ENOENT', 'ECONNREFUSED', 'ENOTSOCK']);

/** A failed connection as the error that a person can act on. */
export function connectionError(cause: unknown, socketPath: string): WritError {
  if (isWritError(cause)) return cause;
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : '';
  if (NOBODY_LISTENS.has(code)) {
    return new WritError('NOT_RUNNING', 'the node is not running', {
      details: { socket: socketPath },
      nextSteps: ['writ up'],
      cause,
    });
  }
  if (code === 'EACCES' || code === 'EPERM') {
    return new WritError('NOT_RUNNING', 'the control socket belongs to another user', {
      details: { socket: socketPath },
      nextSteps: ['run writ as the user who started the node'],
      cause,
    });
  }
  // Nothing says which of the two it was.
  return new WritError(
    'UNREACHABLE',
    'the node ended the connection before it answered: it went away, or had no room',
    {
      details: { socket: socketPath, cause: code },
      nextSteps: ['writ status'],
      cause,
    },
  );
}

/** `error`, or CANCELLED where the caller ended the call itself: a connection that it closed is no fault of the node. */
export function unlessAborted(error: unknown, signal: AbortSignal | undefined): unknown {
  return signal?.aborted === true ? new WritError('CANCELLED', 'interrupted', { cause: error }) : error;
}

/** The error in the body of a refused call; `text` that is none becomes `INTERNAL`. */
export function answeredError(text: string, status: number): WritError {
  const body = parse(text);
  if (typeof body === 'object' && body !== null && 'error' in body) {
    return withVersionStep(errorFromJson(body.error as Partial<WritErrorJson>));
  }
  return new WritError('INTERNAL', `the node answered with status ${status} and no reason`);
}

/** A client of ours sends what the node of its version knows: one that was not started again since an update knows less. */
function withVersionStep(error: WritError): WritError {
  const { code, message, details, nextSteps } = error;
  if (code !== 'BAD_REQUEST' || !message.startsWith('unknown key') || nextSteps.length > 0) return error;
  const restart = 'the node that runs may be older than this program: writ down && writ up';
  return new WritError(code, message, { details, nextSteps: [restart] });
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
