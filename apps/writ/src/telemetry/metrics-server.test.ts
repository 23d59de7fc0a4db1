import { expect, it, vi } from 'vitest';
import { serveMetrics } from './metrics-server.ts';

it('answers 500 where the page cannot be made, says so in the log, and serves the next one', async () => {
  const page = vi
    .fn(() => 'up 1\n')
    .mockImplementationOnce(() => {
      throw new Error('the disk is gone');
    });
  const error = vi.fn();
  const server = await serveMetrics('127.0.0.1:0', page, { error });
  const url = `http://127.0.0.1:${server.address.port}/metrics`;
  try {
    expect((await fetch(url)).status).toBe(500);
    expect(error).toHaveBeenCalledWith('metrics could not be read', { reason: 'Error: the disk is gone' });
    expect(await (await fetch(url)).text()).toBe('up 1\n');
  } finally {
    await server.close();
  }
});
