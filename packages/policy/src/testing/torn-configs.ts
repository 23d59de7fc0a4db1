import fc from 'fast-check';
import { BASE } from './fixtures.ts';

const LINES = BASE.split('\n');
const junk = fc.oneof(
  fc.string({ maxLength: 40 }),
  fc.constantFrom(
    '[[',
    ']]',
    '"""',
    "'''",
    '= =',
    '\u0000',
    '\ufeff',
    '\r',
    '{a={b={',
    '[a.b.c]',
    'x = 1e999',
    '#',
    '\\u0000',
  ),
  fc.constantFrom(...LINES),
);

/** A configuration with some of its lines changed, doubled, dropped or torn. */
export const tornConfig: fc.Arbitrary<string> = fc
  .array(fc.record({ at: fc.nat(LINES.length - 1), drop: fc.nat(2), text: junk, cut: fc.nat(20) }), { maxLength: 6 })
  .map((edits) => {
    const lines = [...LINES];
    for (const { at, drop, text, cut } of edits) lines.splice(at, drop, text, (LINES[at] ?? '').slice(cut));
    return lines.join('\n');
  });
