import type { Network } from '@writ/policy';
import { describe, expect, it } from 'vitest';
import { writeRequest } from '../actions/stored-request.ts';
import type { ActionRequest } from '../actions/types.ts';
import { beyondGrant, unlikeShown } from './grant-shown.ts';
import type { GrantedRights } from './types.ts';

const shown = (change: Partial<ActionRequest> = {}) => ({
  request: writeRequest({
    ...{ origin: 'o', session: 's', agent: 'a', argv: ['true'], inner: [], cwd: '/', profile: 'ops' },
    ...{ runner: 'shell', network: 'deny', isolation: 'none' },
    ...change,
  }),
});
const now = (change: Partial<GrantedRights> = {}): GrantedRights => ({
  ...{ granted: true, profile: 'ops', runner: 'shell', network: 'deny', isolation: 'none', closure: [] },
  ...change,
});
const REFUSED = { granted: false, refusal: { code: 'LEASE_REQUIRED', message: 'no', nextSteps: [] } } as const;
const ISOLATION = {
  code: 'ISOLATION_UNAVAILABLE',
  message: 'its profile needs isolation now, which a command on the machine itself never has',
  nextSteps: [
    'hand it over as a task, which runs in a sandbox: writ delegate',
    'or ask with a profile whose isolation is none',
  ],
};
const changed = (what: string) => ({
  ...{ code: 'CHANGED_SINCE_APPROVAL', message: `${what}; it has to be asked for anew`, nextSteps: ['ask anew'] },
});
const withdrawn = (message: string) => ({
  ...{ code: 'PROFILE_NOT_ALLOWED', message, nextSteps: ['ask for what is granted now'] },
});

describe('what a command that has not started would run under', () => {
  it('is what was shown, as long as nothing of it changes', () => {
    expect(unlikeShown(now(), shown())).toBeUndefined();
    expect(unlikeShown(now({ isolation: 'required' }), shown({ isolation: 'required' }))).toBeUndefined();
    expect(unlikeShown(now({ network: ['a:1', 'b:2'] }), shown({ network: ['a:1', 'b:2'] }))).toBeUndefined();
  });

  it.each<[Partial<GrantedRights>, Partial<ActionRequest>, object]>([
    [{ runner: 'sh' }, {}, changed('the runner is sh now, not shell')],
    [{ network: 'allow' }, {}, changed('the network that its profile reaches is another one now')],
    [{ network: ['a:1'] }, { network: 'allow' }, changed('the network that its profile reaches is another one now')],
    [{}, { isolation: 'required' }, changed('the isolation of its profile is another one now')],
    [{ isolation: 'required' }, {}, ISOLATION],
  ])('is another with %j where %j was shown', (rights, request, refusal) => {
    expect(unlikeShown(now(rights), shown(request))).toEqual(refusal);
  });

  it('is nothing where nothing is granted, or what was shown cannot be read', () => {
    expect(unlikeShown(REFUSED, shown())).toBe(REFUSED.refusal);
    expect(unlikeShown(now(), { request: {} })).toEqual(changed('what was asked for cannot be read any more'));
  });
});

describe('what a command runs with', () => {
  it.each<[Network, Network]>([
    ['deny', 'deny'],
    ['deny', 'allow'],
    [['a:1'], ['a:1', 'b:2']],
    [['a:1', 'b:2'], 'allow'],
    ['allow', 'allow'],
  ])('stays granted: started with network %j, %j now', (started, granted) => {
    expect(beyondGrant(now({ network: granted }), shown({ network: started }))).toBeUndefined();
  });

  it.each<[Network, Network]>([
    ['allow', 'deny'],
    ['allow', ['a:1']],
    [['a:1', 'b:2'], ['a:1']],
    [['a:1'], 'deny'],
  ])('is withdrawn: started with network %j, %j now', (started, granted) => {
    expect(beyondGrant(now({ network: granted }), shown({ network: started }))).toEqual(
      withdrawn('its profile reaches less of the network now'),
    );
  });

  it('is withdrawn with its runner, with isolation that it has not, and where it cannot be read', () => {
    expect(beyondGrant(now({ runner: 'sh' }), shown())).toEqual(withdrawn('its profile runs as sh now'));
    expect(beyondGrant(now({ isolation: 'required' }), shown())).toEqual(ISOLATION);
    expect(beyondGrant(now({ isolation: 'none' }), shown({ isolation: 'required' }))).toBeUndefined();
    expect(beyondGrant(now(), { request: 7 })).toEqual(withdrawn('what it was started as cannot be read any more'));
    expect(beyondGrant(REFUSED, shown())).toBe(REFUSED.refusal);
  });
});
