import { expect, it } from 'vitest';
import { FAKE_APPROVAL } from '../testing/fake-gate.ts';
import { viewApprovalRow } from './approval-view.ts';

it('says in a line what a question is about: of a command its words, so that several are told apart', () => {
  const about = (...lines: string[]) =>
    viewApprovalRow({ ...FAKE_APPROVAL, preview: lines.join('\n') }, String, String).about;
  const asked = ['asked by: self', 'agent: cli', 'session: s'];
  expect(about(...asked, 'lend profile: repo-dev', 'for: 1h')).toBe('lend profile: repo-dev');
  expect(about(...asked, 'class: destructive', 'argument 0: rm', 'argument 1: a b', 'program: /bin/rm')).toBe(
    "class: destructive: rm 'a b'",
  );
  expect(about('class: destructive', `argument 0: ${'x'.repeat(200)}`)).toHaveLength(121);
});
