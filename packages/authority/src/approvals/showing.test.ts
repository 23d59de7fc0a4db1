import { describe, expect, it } from 'vitest';
import { permissionQuestion } from './permission-question.ts';
import { askerLines, isShowable, LARGEST_PREVIEW_BYTES, showLines } from './showing.ts';

const ASKER = { origin: 'wn-a', session: 's1', agent: 'agent', requestedBy: 'wn-a', task: 't1' };

describe('who asks', () => {
  it('is shown by label, words, agent and session, and by a reason where one was given', () => {
    const plain = [
      { label: 'asked by', text: 'laptop (a-b-c-d)' },
      { label: 'agent', text: 'agent' },
      { label: 'session', text: 's1 of wn-a' },
    ];
    expect(askerLines({ label: 'laptop', words: 'a-b-c-d' }, ASKER)).toEqual(plain);
    expect(askerLines({ label: 'laptop', words: 'a-b-c-d', reason: 'to mend it' }, ASKER)).toEqual([
      ...plain,
      { label: 'reason, as it says', text: 'to mend it' },
    ]);
  });
});

describe('a text that is shown', () => {
  it('is exactly as large as can be read, and one byte more is refused with how much it is', () => {
    const line = (size: number) => showLines([{ label: 'x', text: 'a'.repeat(size - 'x: '.length) }]);
    const whole = line(LARGEST_PREVIEW_BYTES);
    expect([whole.shown, whole.shown && isShowable(whole.text)]).toEqual([true, true]);
    expect(line(LARGEST_PREVIEW_BYTES + 1)).toEqual({
      ...{ shown: false, message: '256.0KiB cannot be shown whole, more than 256KiB cannot be approved' },
    });
    expect(isShowable('a'.repeat(LARGEST_PREVIEW_BYTES + 1))).toBe(false);
    // Bytes count, not characters.
    expect(isShowable('ä'.repeat(LARGEST_PREVIEW_BYTES / 2 + 1))).toBe(false);
  });

  it('has every line on one line, in order, and is what can be shown again', () => {
    const shown = showLines([
      { label: 'a', text: 'b\nc' },
      { label: 'd: e', text: 'f: g' },
    ]);
    expect(shown).toEqual({ shown: true, text: 'a: b\\u{a}c\nd\\u{3a} e: f: g' });
    expect(shown.shown && isShowable(shown.text)).toBe(true);
    for (const text of ['a\u001b[2J', 'a\nb\u202e', 'a\r\nb']) expect(isShowable(text)).toBe(false);
    expect([isShowable(''), isShowable('a\n\nb')]).toEqual([true, true]);
  });
});

describe('what a task asks an approver', () => {
  it('is asked once, whole, in its own words, line by line', () => {
    const question = permissionQuestion(
      ASKER,
      { label: 'laptop', words: 'a-b-c-d' },
      {
        ...{ digest: 'd', subject: { task: 't1' }, lifetimeMs: 5 },
        lines: [
          { label: 'the task asks', text: 'may I?' },
          { label: 'the tool', text: 'really\nnow' },
        ],
      },
    );
    expect(question).toEqual({
      ...{ kind: 'permission', asker: ASKER, digest: 'd', subject: { task: 't1' }, lifetimeMs: 5, scopes: ['once'] },
      preview: {
        shown: true,
        text: [
          ...['asked by: laptop (a-b-c-d)', 'agent: agent', 'session: s1 of wn-a', 'task: t1'],
          ...['the task asks: may I?', 'the tool: really\\u{a}now'],
        ].join('\n'),
      },
    });
  });
});
