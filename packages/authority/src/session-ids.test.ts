import { createSystemRandom } from '@writ/core';
import { describe, expect, it } from 'vitest';
import { idOfAgent, idOfCall, idOfCredential, sessionIdKind, sessionRules } from './session-ids.ts';

const random = createSystemRandom();

describe('the id of a session', () => {
  it('says what the session is of, also where all are equally long', () => {
    const ids = [
      idOfCall('f'.repeat(32)),
      idOfCall(random.uuid()),
      idOfCredential('wst_x'),
      idOfAgent(random),
      'person',
    ];
    expect(ids.map(sessionIdKind)).toEqual(['of-one-call', 'of-one-call', 'of-a-credential', 'of-an-agent', 'other']);
    expect([ids[0], ids[2], ids[3]].map((id) => id?.length)).toEqual([36, 36, 36]);
  });
});

describe('the record of a session', () => {
  it('is needed for what it proves, and to keep what has ended from beginning again', () => {
    const own = (id: string) => sessionRules('me', 'me', id);
    const needed = { isRecordedAnew: false, staysEnded: false, isOfOneCall: false };
    expect([own(idOfCredential('wst_x')), own(idOfAgent(random)), own(idOfCall('k')), own('person')]).toEqual([
      { ...needed, staysEnded: true },
      { ...needed, isRecordedAnew: true },
      { ...needed, isRecordedAnew: true, isOfOneCall: true },
      needed,
    ]);
  });

  it('is needed for neither where the session is another node’s', () => {
    const foreign = { isRecordedAnew: true, staysEnded: true };
    expect(sessionRules('me', 'other', 'person')).toEqual({ ...foreign, isOfOneCall: false });
    expect(sessionRules('me', 'other', idOfCall('k'))).toEqual({ ...foreign, isOfOneCall: true });
  });
});
