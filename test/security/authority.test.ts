import { readFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { createControlClient } from '@writ/gateway/client';
import { callRaw, MESH_METHODS, startThreeNodes, submit, type ThreeNodes, untilOutput } from '@writ/testkit/mesh';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

let nodes: ThreeNodes;
beforeAll(async () => {
  nodes = await startThreeNodes({ commands: [['sh', '-c', 'echo up; exec sleep 600']] });
}, 120_000);
afterAll(() => nodes.mesh.close(), 60_000);

/** One HTTP request to the control socket of beta; the status alone. */
function knock(options: {
  path?: string;
  method?: string;
  headers?: Record<string, string>;
  body?: string;
}): Promise<number> {
  const { path = '/v1/node_status', method = 'POST', headers = {}, body = '{}' } = options;
  return new Promise((resolve, reject) => {
    const socketPath = join(nodes.beta.home, 'run', 'control.sock');
    const outgoing = request(
      { socketPath, path, method, headers: { host: 'localhost', 'content-type': 'application/json', ...headers } },
      (response) => {
        response.resume();
        resolve(response.statusCode ?? 0);
      },
    );
    outgoing.on('error', reject);
    outgoing.end(body);
  });
}

const tokenOf = (home: string): string => readFileSync(join(home, 'run', 'host-token'), 'utf8').trim();
const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

describe('garbage, expired, foreign and truncated tokens', () => {
  it('open nothing', async () => {
    const good = tokenOf(nodes.beta.home);
    expect(await knock({ headers: bearer(good) })).toBe(200);
    const foreign = tokenOf(nodes.alpha.home);
    const bad = ['', 'x', good.slice(0, -1), `${good}x`, good.toUpperCase(), foreign, 'wht_', `${good} ${good}`];
    for (const token of bad) expect(await knock({ headers: bearer(token) }), token).toBe(401);
    expect(await knock({})).toBe(401);
    expect(await knock({ headers: { authorization: `Basic ${good}` } })).toBe(401);
  });

  it('of an earlier start open nothing', async () => {
    const before = tokenOf(nodes.gamma.home);
    await nodes.gamma.down();
    await nodes.gamma.up();
    expect(tokenOf(nodes.gamma.home)).not.toBe(before);
    const old = createControlClient({ socketPath: join(nodes.gamma.home, 'run', 'control.sock'), token: before });
    await expect(old.call('node_status', {})).rejects.toMatchObject({ code: 'TOKEN_INVALID' });
  });
});

describe('an RPC, tool or CLI verb without an authorization entry', () => {
  it('does not exist: what the listener does not list it does not serve, even to a peer', async () => {
    const paths = [
      '/writ.mesh.v1.MeshService/Nothing',
      '/writ.mesh.v1.Other/Submit',
      '/grpc.reflection.v1.ServerReflection/ServerReflectionInfo',
    ];
    const ends = await callRaw(nodes.beta, { keysOf: nodes.alpha }, paths);
    expect(Object.values(ends).filter((end) => end.startsWith('OK'))).toEqual([]);
    for (const method of ['GET', 'PUT', 'DELETE', 'OPTIONS']) {
      const status = await knock({ method, headers: bearer(tokenOf(nodes.beta.home)), body: '' });
      expect(status, method).toBeGreaterThanOrEqual(400);
    }
    expect(await knock({ path: '/v1/nothing', headers: bearer(tokenOf(nodes.beta.home)) })).toBe(404);
  });
});

describe('a sibling’s, parent’s and stranger’s task over every verb', () => {
  it('looks like one that does not exist', async () => {
    const task = await submit(nodes.alpha, { argv: ['sh', '-c', 'echo up; exec sleep 600'] });
    await untilOutput(nodes.alpha, task, 'up');
    const verbs = ['GetTask', 'Watch', 'ReadTranscript', 'Cancel'].map((verb) => `/writ.mesh.v1.MeshService/${verb}`);
    // Field 1, a string: the id of the task.
    const naming = (id: string) => ({ message: Buffer.concat([Buffer.from([0x0a, id.length]), Buffer.from(id)]) });
    const others = await callRaw(nodes.beta, { keysOf: nodes.gamma }, verbs, naming(task));
    const nobodys = await callRaw(
      nodes.beta,
      { keysOf: nodes.gamma },
      verbs,
      naming(task.replace(/.$/, task.endsWith('0') ? '1' : '0')),
    );
    expect(others).toEqual(nobodys);
    expect(new Set(Object.values(others))).toEqual(new Set(['NOT_FOUND NOT_FOUND']));
    expect(await nodes.alpha.client().call('status', { task })).toMatchObject({ state: 'running' });
    await nodes.alpha.client().call('cancel', { task });
  });
});

describe('TLS 1.2', () => {
  it('is not spoken', async () => {
    const ends = await callRaw(nodes.beta, { keysOf: nodes.alpha }, MESH_METHODS.slice(0, 1), {
      tls: { maxVersion: 'TLSv1.2', minVersion: 'TLSv1.2' },
    });
    expect(Object.values(ends)).toEqual(['UNAVAILABLE']);
  });
});

describe('a name attack on any entry path', () => {
  it.each([
    '../x',
    'a/b',
    '-x',
    'q\u0000',
    'que\u202ery',
    'ＱＵＥＲＹ',
    'query ',
    '__proto__',
    'constructor',
    'toString',
  ])('reaches no profile, workspace, peer or lease: %j', async (name) => {
    const { alpha, beta } = nodes;
    const ends = await Promise.allSettled([
      alpha
        .client()
        .call('delegate', { to: 'beta', profile: name, argv: ['true'] })
        .then((told) => told.accepted),
      alpha
        .client()
        .call('delegate', { to: 'beta', profile: 'query', workspace: name, argv: ['true'] })
        .then((told) => told.accepted),
      alpha
        .client()
        .call('delegate', { to: name, profile: 'query', argv: ['true'] })
        .then((told) => told.accepted),
      beta.client().call('lease_grant', { peer: name, profile: 'repo-dev', duration: '1m' }),
      beta.client().call('lease_grant', { peer: 'alpha', profile: name, duration: '1m' }),
      beta.client().call('peer_remove', { peer: name }),
    ]);
    const got = ends.map((end) =>
      end.status === 'rejected' ? 'refused' : end.value === false ? 'refused' : end.value,
    );
    expect(got).toEqual(got.map(() => 'refused'));
    expect((await beta.client().call('lease_list', {})).leases).toEqual([]);
  });
});
