import type { LogFields, Logger, Tracing } from '@writ/core';

/** The same log, whose lines name the trace and the span in which they were written, where there is one. */
export function tracedLogger(inner: Logger, tracing: Pick<Tracing, 'current'>): Logger {
  const placed = (fields: LogFields | undefined): LogFields | undefined => {
    const [, trace, span] = tracing.current()?.split('-') ?? [];
    return trace === undefined || span === undefined ? fields : { ...fields, trace_id: trace, span_id: span };
  };
  return {
    debug: (message, fields) => inner.debug(message, placed(fields)),
    info: (message, fields) => inner.info(message, placed(fields)),
    warn: (message, fields) => inner.warn(message, placed(fields)),
    error: (message, fields) => inner.error(message, placed(fields)),
  };
}
