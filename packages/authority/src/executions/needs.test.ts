import { describe, expect, it } from 'vitest';
import { missingRight } from './needs.ts';
import type { GrantedRights } from './types.ts';

const rights = (...closure: string[]): GrantedRights => ({
  ...{ granted: true, profile: 'ops', runner: 'shell', network: 'deny', isolation: 'none', closure },
});
const lacks = (what: string) => ({
  ...{ code: 'PROFILE_NOT_ALLOWED', message: `the profile \`ops\` lacks ${what}` },
  nextSteps: ['ask with a profile that holds it: writ policy explain'],
});

describe('what a command needs', () => {
  it('is all of it, and nothing besides', () => {
    const command = { class: 'config-mutation', needs: ['b', 'a'] } as const;
    expect(missingRight(rights('a', 'b', 'c'), command)).toBeUndefined();
    expect(missingRight(rights('a'), command)).toEqual(lacks('b'));
    expect(missingRight(rights(), command)).toEqual(lacks('b, a'));
    expect(missingRight(rights(), { class: 'read', needs: [] })).toBeUndefined();
  });

  it('holds what is destructive besides, where the command is, and is named once', () => {
    expect(missingRight(rights('a'), { class: 'destructive', needs: ['a'] })).toEqual(lacks('destructive'));
    expect(missingRight(rights('a', 'destructive'), { class: 'destructive', needs: ['a'] })).toBeUndefined();
    expect(missingRight(rights(), { class: 'destructive', needs: ['destructive', 'x', 'x'] })).toEqual(
      lacks('destructive, x'),
    );
  });

  it('is the shell where no rule can say what it does, and the refusal says what else would do', () => {
    const command = { class: 'config-mutation', needs: ['shell'] } as const;
    expect(missingRight(rights('shell'), command)).toBeUndefined();
    const refusal = missingRight(rights('destructive'), command);
    expect(refusal?.message).toContain('lacks shell, which a command needs of which no rule can say what it does');
    expect(refusal?.nextSteps.join()).toMatch(/\[\[commands\]\].*`commands` of the profile.*shell = "allow"/);
  });

  it('is nothing that helps whoever is granted nothing', () => {
    const refusal = { code: 'LEASE_REQUIRED', message: 'no', nextSteps: [] } as const;
    expect(missingRight({ granted: false, refusal }, { class: 'read', needs: [] })).toBe(refusal);
  });
});
