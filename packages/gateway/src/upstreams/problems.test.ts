import { silentLogger } from '@writ/core';
import { expect, it } from 'vitest';
import { createUpstreamProblems } from './problems.ts';

it('says of tools that are too many for a list how many there are, once in the log, until they are fewer', () => {
  const logged: unknown[] = [];
  const logger = { ...silentLogger, warn: (_: string, fields?: object) => void logged.push(fields) };
  const problems = createUpstreamProblems(logger, 'many');
  problems.noteAllowed('agents', 128, 128);
  expect(problems.list()).toEqual([]);
  for (let n = 0; n < 3; n++) problems.noteAllowed('agents', 400, 128);
  problems.noteAllowed('tasks', 2, 128);
  expect(problems.list()).toEqual([
    'agents may call 400 of its tools, and are offered the first 128: name those that are needed in `agents`',
  ]);
  expect(logged).toEqual([{ upstream: 'many', who: 'agents', count: 400, most: 128 }]);
  problems.noteAllowed('agents', 5, 128);
  expect(problems.list()).toEqual([]);
});
