import { Metadata, status } from '@grpc/grpc-js';
import { WRIT_CODES, WritError } from '@writ/core';
import { isTold } from '@writ/delegation';
import { describe, expect, it } from 'vitest';
import { refuseMethod } from './refusal.ts';
import { STATUS_OF_CODE } from './status-table.ts';
import { hasErrorTrailer, isRefusalStatus, refusalToStatus, statusToError } from './wire-error.ts';

describe('an error on the wire', () => {
  it('arrives with its code and message, its steps as words of it, for every code that may be told', () => {
    for (const code of WRIT_CODES) {
      const sent = new WritError(code, 'what is wrong: `é`', { nextSteps: ['do this'], details: { path: '/secret' } });
      const received = statusToError(refusalToStatus(sent), 'beta');
      expect(received.code).toBe(STATUS_OF_CODE[code].hidden ? 'INTERNAL' : code);
      if (isTold(code)) {
        expect(received.message).toBe(`${sent.message}; it adds: "do this"`);
      } else {
        expect(received.message).not.toContain('what is wrong');
      }
      expect(received.nextSteps).toEqual([]);
      expect(received.details).toEqual({ peer: 'beta' });
    }
  });

  it('is bounded', () => {
    const sent = new WritError('BAD_REQUEST', 'x'.repeat(100_000), {
      nextSteps: Array.from({ length: 1000 }, () => 'y'.repeat(10_000)),
    });
    const end = refusalToStatus(sent);
    expect(JSON.stringify(end.metadata.toJSON()).length + end.details.length).toBeLessThan(20_000);
    expect(statusToError(end, 'beta').message.match(/yyy…"/g)).toHaveLength(8);
  });

  it('has details that grpc-js can send, whatever the message holds', () => {
    const { details } = refusalToStatus(new WritError('BAD_REQUEST', 'half \ud800 é\n'));
    expect(() => encodeURI(details)).not.toThrow();
  });

  it('of another node moves no cursor and claims no code of this machine', () => {
    const metadata = new Metadata();
    const claim = { code: 'HOME_INSECURE', message: 'a\u001b[2Jb\u202e', nextSteps: ['\u0007', 3] };
    metadata.set('writ-error-bin', Buffer.from(JSON.stringify(claim)));
    const error = statusToError({ code: status.INTERNAL, metadata, details: '' }, 'beta');
    const message = 'a\\u{1b}[2Jb\\u{202e}; it adds: "\\u{7}"';
    expect(error).toMatchObject({ code: 'INTERNAL', message, nextSteps: [] });
  });

  it('says by a detail that there is no such method, with the trailer or without, and for nothing else', () => {
    const missing = refusalToStatus(refuseMethod());
    expect(missing.code).toBe(status.UNIMPLEMENTED);
    const noMethod = { code: 'BAD_REQUEST', details: { peer: 'beta', reason: 'no-method' } };
    expect(statusToError(missing, 'beta')).toMatchObject(noMethod);
    const bare = { metadata: new Metadata(), details: 'The server does not implement the method Execute' };
    expect(statusToError({ ...bare, code: status.UNIMPLEMENTED }, 'beta')).toMatchObject(noMethod);
    for (const code of [status.INVALID_ARGUMENT, status.UNKNOWN])
      expect(statusToError({ ...bare, code }, 'beta').details).toEqual({ peer: 'beta' });
    const said = refusalToStatus(new WritError('BAD_REQUEST', 'there is no such method'));
    expect(statusToError(said, 'beta').details).toEqual({ peer: 'beta' });
  });

  it('tells a message that is too large from a call that came at a bad time', () => {
    const bare = (details: string): string =>
      statusToError({ code: status.RESOURCE_EXHAUSTED, metadata: new Metadata(), details }, 'beta').code;
    expect(bare('Received message larger than max (2097152 vs. 1048576)')).toBe('BAD_REQUEST');
    expect(bare('Bandwidth exhausted or memory limit exceeded')).toBe('RATE_LIMITED');
  });

  it('is read from the bare status where the trailer is missing or garbage', () => {
    for (const trailer of [undefined, '{', '[]', 'null', '{"code":"NO_SUCH","message":"x"}', 'x'.repeat(20_000)]) {
      const metadata = new Metadata();
      if (trailer !== undefined) metadata.set('writ-error-bin', Buffer.from(trailer));
      const end = { code: status.NOT_FOUND, metadata, details: 'bare' };
      expect(statusToError(end, 'beta')).toMatchObject({ code: 'NOT_FOUND', message: 'bare' });
      expect(hasErrorTrailer(end)).toBe(false);
    }
  });

  it('of this node is told from what the library says', () => {
    expect(isRefusalStatus(refusalToStatus(new WritError('NOT_FOUND', 'nothing')))).toBe(true);
    for (const metadata of [undefined, null, new Metadata()]) expect(isRefusalStatus({ metadata })).toBe(false);
  });
});
