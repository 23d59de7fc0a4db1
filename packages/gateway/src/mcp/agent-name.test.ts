import { foldName } from '@writ/core';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { agentName } from './agent-name.ts';

describe('agentName', () => {
  it('folds what a client calls itself', () => {
    expect(agentName('Claude Code/2.1')).toBe('claude-code-2.1');
    expect(agentName('  _x')).toBe('x');
    expect(agentName('漢字')).toBe('agent');
    expect(agentName(undefined)).toBe('agent');
    expect([agentName('Person'), agentName('personal')]).toEqual(['agent', 'personal']);
    expect([agentName('CLI'), agentName('cli2')]).toEqual(['agent', 'cli2']);
  });

  it('gives a name for anything', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'binary', maxLength: 300 }),
        (text) => foldName(agentName(text)) === agentName(text),
      ),
    );
  });
});
