import { describe, expect, it } from 'vitest';
import { readTaskUri, taskUri } from './task-uri.ts';

describe('addresses of tasks', () => {
  it.each([
    ['writ://task/t-1', { part: 'task', task: 't-1' }],
    ['writ://task/t-1/result', { part: 'result', task: 't-1' }],
    ['writ://task/t-1/transcript', { part: 'transcript', task: 't-1', offset: 0 }],
    ['writ://task/t-1/transcript?offset=12', { part: 'transcript', task: 't-1', offset: 12 }],
    ['writ://task/t%2F1/artifact/a%2Fb.txt', { part: 'artifact', task: 't/1', name: 'a/b.txt' }],
  ])('%s', (uri, resource) => {
    expect(readTaskUri(uri)).toEqual(resource);
  });

  it.each([
    ...['', 'writ://task/', 'writ://peer/t-1', 'file:///etc/passwd', 'writ://task/t-1/', 'writ://task/t-1/result/x'],
    ...[
      'writ://task/t-1/transcript?offset=-1',
      'writ://task/t-1/transcript?limit=1',
      'writ://task/t-1?x',
      'writ://task/%ff',
    ],
    ...['writ://task/t-1/%zz', 'writ://task/t-1/result/%zz', `writ://task/t-1/artifact/${'x'.repeat(2 ** 20)}`],
    ...['writ://task/t-1/artifact', 'writ://task/t-1/artifact/', 'writ://task/t-1/artifact/a/b', 'writ://task/t-1/log'],
  ])('%j is none', (uri) => {
    expect(readTaskUri(uri)).toBeUndefined();
  });

  it('are read back as they were written', () => {
    for (const task of ['t-1', 'a/b', '?x', 'ä']) expect(readTaskUri(taskUri(task))).toEqual({ part: 'task', task });
    expect(readTaskUri(taskUri('t-1', 'result'))).toEqual({ part: 'result', task: 't-1' });
  });
});
