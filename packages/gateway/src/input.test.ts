import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { contract } from './contract/index.ts';
import { parseInput } from './input.ts';

const refusal = (input: unknown): string => {
  try {
    parseInput(contract.delegate.input, input);
  } catch (error) {
    return error instanceof Error ? error.message : '';
  }
  return 'accepted';
};

describe('parseInput', () => {
  it('names the nearest known key for one that is unknown', () => {
    expect(refusal({ to: 'beta', argv: ['true'], profil: 'x' })).toBe('unknown key `profil` (did you mean `profile`?)');
  });

  it('drops a session that the caller brings', () => {
    expect(parseInput(contract.delegate.input, { to: 'beta', argv: ['true'], _session_id: 'mine' })).toEqual({
      to: 'beta',
      argv: ['true'],
    });
  });

  it('drops it only as a key of the input itself', () => {
    expect(refusal({ to: 'beta', argv: [{ _session_id: 'mine' }] })).toMatch(/^`argv.0`: /);
  });

  it('refuses half of a character, wherever it stands: what runs would not be what is shown', () => {
    const broken = 'is no text: it holds half of a character';
    expect(refusal({ to: 'beta', argv: ['touch', 'a', '\ud800'] })).toBe(`\`argv.2\`: ${broken}`);
    expect(refusal({ to: '\udfff', argv: ['true'] })).toBe(`\`to\`: ${broken}`);
    expect(refusal({ to: 'beta', argv: ['true'], '\ud800': 1 })).toContain(broken);
    expect(refusal({ to: 'beta', argv: ['\ud83e\udd8a', '\ufffd'] })).toBe('accepted');
  });

  it('wants either argv or prompt', () => {
    expect(refusal({ to: 'beta' })).toBe('give either argv or prompt');
    expect(refusal({ to: 'beta', argv: ['a'], prompt: 'b' })).toBe('give either argv or prompt');
  });

  it('refuses what is no object', () => {
    for (const input of [null, [], 'x', 1]) expect(refusal(input)).toBe('the input must be a JSON object');
  });

  it('says no more than five reasons and never repeats a value', () => {
    const message = refusal({ to: 5, argv: ['sec\0ret'], a1: 1, profile: 1, runner: 1, workspace: 1, ref: 1 });
    expect(message.split('; ')).toHaveLength(6);
    expect(message).not.toContain('ret');
  });

  it('says of a size what it has to be', () => {
    const reasonFor = (schema: z.ZodType, value: unknown): string => {
      try {
        parseInput(z.object({ it: schema }), { it: value });
      } catch (error) {
        return error instanceof Error ? error.message : '';
      }
      return 'accepted';
    };
    expect(reasonFor(z.string().min(1), '')).toBe('`it`: is empty');
    expect(reasonFor(z.string().min(3), 'x')).toBe('`it`: has to be at least 3 characters long');
    expect(reasonFor(z.string().max(3), 'long')).toBe('`it`: has to be at most 3 characters long');
    expect(reasonFor(z.array(z.string()).max(1), ['a', 'b'])).toBe('`it`: has to be at most 1 entries long');
    expect(reasonFor(z.number().max(5), 6)).toBe('`it`: has to be at most 5');
    expect(reasonFor(z.number().positive(), 0)).toBe('`it`: has to be more than 0');
  });

  it('shows keys with control characters harmless', () => {
    expect(refusal({ to: 'b', argv: ['a'], '\u001b[2J': 1 })).toContain('`\\u{1b}[2J`');
  });

  it('takes a key of the prototype for unknown', () => {
    expect(refusal(JSON.parse('{"to":"b","argv":["a"],"__proto__":{"profile":"x"}}'))).toContain('unknown key');
  });
});
