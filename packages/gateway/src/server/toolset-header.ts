import type { IncomingMessage } from 'node:http';
import { quote, WritError } from '@writ/core';
import { readToolsets, TOOLSETS, TOOLSETS_HEADER, type Toolset } from '../types.ts';

/** The sets of tools that a client wants. Throws BAD_REQUEST for a set that there is not. */
export function toolsetsOf({ headers }: IncomingMessage): readonly Toolset[] {
  const named = headers[TOOLSETS_HEADER];
  const toolsets = readToolsets(typeof named === 'string' ? named : '');
  if (toolsets !== undefined) return toolsets;
  throw new WritError('BAD_REQUEST', `there is no such set of tools: ${quote(String(named))}`, {
    nextSteps: [`name some of: default, ${TOOLSETS.join(', ')}, all`],
  });
}
