import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { describe, expect, it } from 'vitest';
import type { Authenticator } from '../ports.ts';
import { createFakeClock } from '../testing/fake-clock.ts';
import { partial } from '../testing/fake-core.ts';
import type { Caller } from '../types.ts';
import { createGatekeeper, type Gatekeeper } from './authorization.ts';

const SESSION = { origin: 'wn-alpha', id: 'cli-1', agent: 'cli' };
const TASK: Caller = { kind: 'task', task: 't1', session: { origin: 'wn-beta', id: 's1', agent: 'a' } };
/** Proves a host by anything, and a task by what begins with `task`; says what it was asked. */
function createAuthenticator(): Authenticator & { readonly seen: string[] } {
  const seen: string[] = [];
  return {
    seen,
    authenticate(token) {
      seen.push(token);
      return token.startsWith('task') ? TASK : { kind: 'host' };
    },
  };
}

const admit = (gatekeeper: Gatekeeper, headers: IncomingHttpHeaders) =>
  gatekeeper.admit(partial<IncomingMessage>({ headers }));
const REFUSED = { code: 'TOKEN_INVALID', message: 'the token is not accepted' };

describe('the bearer token', () => {
  it.each([
    ['Bearer x', 'x'],
    ['bearer aZ0_-.~+/=', 'aZ0_-.~+/='],
    [`Bearer ${'x'.repeat(512)}`, 'x'.repeat(512)],
  ])('is read from %s', (authorization, token) => {
    const authenticator = createAuthenticator();
    expect(admit(createGatekeeper(authenticator, createFakeClock()), { authorization })).toEqual({ kind: 'host' });
    expect(authenticator.seen).toEqual([token]);
  });

  it.each([
    undefined,
    '',
    'x',
    'Bearer',
    'Bearer ',
    'Bearer  x',
    'Basic x',
    'XBearer x',
    'x Bearer x',
    'Bearer x y',
    'Bearer x,Bearer y',
    'Bearer x\n',
    'Bearer ü',
    `Bearer ${'x'.repeat(513)}`,
  ])('is not looked for in %j', (authorization) => {
    const authenticator = createAuthenticator();
    const gatekeeper = createGatekeeper(authenticator, createFakeClock());
    expect(() => admit(gatekeeper, authorization === undefined ? {} : { authorization })).toThrow(
      expect.objectContaining({
        ...REFUSED,
        nextSteps: [
          'use the writ command as the user who started the node',
          'unset WRIT_SESSION where that session has ended',
          'where the token file of the node was changed: writ down, then: writ up',
        ],
      }),
    );
    expect(authenticator.seen).toEqual([]);
  });
});

describe('the credential of a session', () => {
  const found: string[] = [];
  const sessions = {
    find(credential: string) {
      found.push(credential);
      return credential === 'gone' ? undefined : SESSION;
    },
  };
  const inSession = (credential: string | string[], authorization = 'Bearer x', known = [sessions]) => {
    const gatekeeper = createGatekeeper(createAuthenticator(), createFakeClock(), known[0]);
    return () => admit(gatekeeper, { authorization, 'writ-session': credential });
  };

  it('says which work a call of the host belongs to', () => {
    const longest = 'c'.repeat(512);
    expect([inSession('c')(), inSession(longest)()]).toEqual([
      { kind: 'host', session: SESSION },
      { kind: 'host', session: SESSION },
    ]);
    expect(found.splice(0)).toEqual(['c', longest]);
  });

  it.each([
    ['that proves nothing', inSession('gone')],
    ['beside the token of a task', inSession('c', 'Bearer task')],
    ['without a token', inSession('c', '')],
    ['where there are no sessions', inSession('c', 'Bearer x', [])],
  ])('%s is refused like any wrong token', (_, call) => {
    expect(call).toThrow(expect.objectContaining(REFUSED));
  });

  it.each([
    ['longer than any', inSession('c'.repeat(513))],
    ['twice', inSession(['c', 'c'])],
  ])('%s is refused, and not looked at', (_, call) => {
    found.length = 0;
    expect(call).toThrow(expect.objectContaining(REFUSED));
    expect(found).toEqual([]);
  });
});

it('slows wrong tokens down after twenty to five a second, never those of others, and never the right one', () => {
  const clock = createFakeClock();
  const gatekeeper = createGatekeeper(createAuthenticator(), clock);
  const wrong = (count: number) =>
    Array.from({ length: count }, () => {
      try {
        return admit(gatekeeper, {});
      } catch (error) {
        return error;
      }
    });
  const refused = (codes: readonly unknown[]) =>
    codes.filter((error) => (error as typeof REFUSED).code === REFUSED.code);
  expect(refused(wrong(30))).toHaveLength(20);
  expect(wrong(1)).toMatchObject([
    { code: 'RATE_LIMITED', message: 'too many calls with a token that is not accepted' },
  ]);
  expect(admit(gatekeeper, { authorization: 'Bearer x' })).toEqual({ kind: 'host' });
  expect(refused(wrong(20))).toHaveLength(0);
  clock.advance(199);
  expect(refused(wrong(1))).toHaveLength(0);
  clock.advance(1);
  expect(refused(wrong(5))).toHaveLength(1);
  clock.advance(1000);
  expect(refused(wrong(20))).toHaveLength(5);
  clock.advance(60_000);
  expect(refused(wrong(30))).toHaveLength(20);
});
