import { describe, expect, it } from 'vitest';
import { assentText, scopeLines, scopesOf, WINDOW_MS } from './scopes.ts';

const TARGET = 'self/service/nginx';

describe('how far a yes to a command can reach', () => {
  it('is this command alone where its program is not known, whatever it does', () => {
    for (const each of ['config-mutation', 'destructive'] as const) {
      expect(scopesOf({ class: each, known: false, target: TARGET })).toEqual(['once']);
    }
  });

  it('is the session for a change, and the target for what destroys one that is known', () => {
    expect(scopesOf({ class: 'config-mutation', known: true, target: TARGET })).toEqual(['once', 'session']);
    expect(scopesOf({ class: 'config-mutation', known: true })).toEqual(['once', 'session']);
    expect(scopesOf({ class: 'destructive', known: true, target: TARGET })).toEqual(['once', 'target']);
    expect(scopesOf({ class: 'destructive', known: true })).toEqual(['once']);
  });

  it('is said for each answer, with how long it lasts', () => {
    expect(WINDOW_MS).toBe(3_600_000);
    expect(scopeLines({ class: 'destructive', known: true, target: TARGET }, 'app')).toEqual([
      { label: 'yes, once, allows', text: 'nothing more than this command' },
      {
        label: 'yes, target, allows',
        text: 'destructive commands of this agent in this session in workspace app on this target under this profile, for 1h',
      },
    ]);
    expect(scopeLines({ class: 'config-mutation', known: true }, undefined)[1]).toEqual({
      label: 'yes, session, allows',
      text: `${assentText(undefined)}, for 1h`,
    });
    expect(assentText(undefined)).toMatch(
      /in this session without a workspace under this profile, .*: systemctl start\|.*; touch\|mkdir in the workspace that was asked for; .*\[\[commands\]\]/,
    );
  });
});
