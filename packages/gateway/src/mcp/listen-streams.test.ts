import { describe, expect, it } from 'vitest';
import { createListenStreams } from './listen-streams.ts';

/** Streams of a connection, and what is followed for them, by address. */
function createWorld() {
  const followed: string[] = [];
  const streams = createListenStreams({
    follow(uri) {
      if (uri === 'writ://task/not-there') throw new Error('there is no such task');
      followed.push(uri);
      return true;
    },
    leave: (uri) => void followed.splice(followed.indexOf(uri), 1),
    close: () => {},
  });
  const listen = (id: unknown, ...resourceSubscriptions: readonly string[]): void =>
    streams.note({ id, method: 'subscriptions/listen', params: { notifications: { resourceSubscriptions } } });
  return { followed, streams, listen };
}

describe('streams of a connection', () => {
  it('are left with a word of the client, and with an answer: then they were refused, or are over', () => {
    const { followed, streams, listen } = createWorld();
    for (const id of [1, 'two', 3]) listen(id, `writ://task/${id}`);
    streams.note({ method: 'notifications/cancelled', params: { requestId: 1 } });
    expect(followed).toEqual(['writ://task/two', 'writ://task/3']);
    streams.noteAnswer({ id: 'two', error: { code: -32_601, message: 'no such method' } });
    streams.noteAnswer({ id: 3, result: {} });
    expect(followed).toEqual([]);
  });

  it('go on with requests and words of the node', () => {
    const { followed, streams, listen } = createWorld();
    listen(1, 'writ://task/t-1');
    streams.noteAnswer({ id: 1, method: 'elicitation/create', params: {} });
    streams.noteAnswer({ method: 'notifications/resources/updated', params: { uri: 'writ://task/t-1' } });
    expect(followed).toEqual(['writ://task/t-1']);
  });

  it('are followed up to a number, those that follow nothing left out, and by no long id', () => {
    const { followed, listen } = createWorld();
    listen('x'.repeat(2 ** 20), 'writ://task/long');
    for (let id = 0; id < 1000; id += 1) listen(id, 'writ://task/not-there');
    expect(followed).toEqual([]);
    for (let id = 1000; id < 2000; id += 1) listen(id, 'writ://task/t-1');
    expect(followed).toHaveLength(128);
  });
});
