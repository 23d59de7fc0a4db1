import type { LogFields } from '@writ/core';
import { expect, it } from 'vitest';
import { tracedLogger } from './traced-logger.ts';

it('lines of a log name the span in which they are written, and none where there is none', () => {
  const written: (LogFields | undefined)[] = [];
  const write = (_: string, fields?: LogFields): number => written.push(fields);
  let current: string | undefined = '00-aaaa-bbbb-01';
  const logger = tracedLogger({ debug: write, info: write, warn: write, error: write }, { current: () => current });
  logger.info('one', { task: 't' });
  logger.error('two');
  current = undefined;
  logger.warn('three', { task: 't' });
  logger.debug('four');
  expect(written).toEqual([
    { task: 't', trace_id: 'aaaa', span_id: 'bbbb' },
    { trace_id: 'aaaa', span_id: 'bbbb' },
    { task: 't' },
    undefined,
  ]);
});
