import { describe, expect, it } from 'vitest';
import { placeOf, standingOfWhom } from './place.ts';

const person = { sender: 'self', session: 'key-1', agent: 'cli' };
const connection = { sender: 'self', session: '00000000-0000-4000-8000-000000000001', agent: 'claude-code' };

describe('the place of a task', () => {
  it('is one for all calls of the person, who are nobody’s but theirs', () => {
    const place = placeOf(person);
    expect(placeOf({ ...person, session: 'key-2' })).toEqual(place);
    for (const other of [
      connection,
      { ...person, session: 'cli-1' },
      { ...person, agent: 'other' },
      { ...person, sender: 'wn-b' },
    ]) {
      expect(placeOf(other).whose).not.toBe(place.whose);
    }
  });

  it('is a line of its own for each session of an agent, in the turns of all agents', () => {
    const sessions = ['cli-1', connection.session].map((session) => placeOf({ ...connection, session }));
    expect(new Set(sessions.map(({ line }) => line)).size).toBe(2);
    expect(new Set(sessions.map(({ whose }) => whose)).size).toBe(1);
    expect(sessions.map(standingOfWhom)).toEqual(['agents of this machine', 'agents of this machine']);
  });

  it('is one line for what an agent asks without a session, however often', () => {
    const calls = ['key-1', 'key-2'].map((session) => placeOf({ ...connection, session }));
    expect(calls[0]).toEqual(calls[1]);
    expect(placeOf({ ...connection, session: 'key-1', agent: 'other' }).line).not.toBe(calls[0]?.line);
    // No session has the name of an agent for its id.
    expect(placeOf({ ...connection, session: 'claude-code' }).line).not.toBe(calls[0]?.line);
  });

  it('is the same for whatever a peer asks', () => {
    const peer = placeOf({ ...connection, sender: 'wn-b' });
    expect(placeOf({ ...person, sender: 'wn-b' })).toEqual(peer);
    expect(placeOf({ ...person, sender: 'wn-c' }).whose).not.toBe(peer.whose);
    expect(standingOfWhom(peer)).toBe('this sender');
  });
});
