/**
 * Runs in a mount namespace of its own: looks names up for runs while the machine's own list of names can be opened by nobody, and
 * says, as JSON, what came of it. Ends by itself, if nothing holds it. Arguments: folder, spawner script.
 */
import { execFileSync } from 'node:child_process';
import { lookup as lookUpHere } from 'node:dns/promises';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createSystemClock, createSystemRandom, pause, silentLogger } from '@writ/core';
import { findMembers } from '../process-tree/members.ts';
import { createProcessTable } from '../process-tree/process-table.ts';
import { createExecute } from '../sandbox/execute.ts';
import { createNameLookups } from '../sandbox/network/name-lookups.ts';
import { createSystemLookup } from '../sandbox/network/system-lookup.ts';
import { createSpawnerClient } from '../spawner-client.ts';

const [folder = '', script = ''] = process.argv.slice(2);
const clock = createSystemClock();
const random = createSystemRandom();
const table = createProcessTable();
const path = process.env.PATH ?? '';
const spawner = createSpawnerClient({
  ...{ node: process.execPath, script, pipesFolder: join(folder, 'pipes'), label: 'silent', logger: silentLogger },
  clock,
  tools: { table, nowMs: () => clock.monotonicMs(), pause: (ms) => pause(clock, ms) },
});
const noncePrefix = `silent-${random.uuid()}-`;
const execute = createExecute({ spawner, clock, nonce: () => `${noncePrefix}${random.uuid()}`, cwd: '/' });
const lookups = createNameLookups({
  clock,
  lookup: createSystemLookup({
    ...{ path, node: process.execPath, env: {} },
    execute: (argv, how) => execute(argv, undefined, how),
  }),
});
const alive = (): number => findMembers({ nonces: [], noncePrefix }, table).length;
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
const { signal } = new AbortController();

const names = join(folder, 'names');
writeFileSync(names, '127.0.0.1 localhost\n203.0.113.5 named.example\n');
const nobody = join(folder, 'nobody');
execFileSync('mkfifo', [nobody]);
/** From now on the machine's names stand there. */
const place = (file: string): void => void execFileSync('mount', ['--bind', file, '/etc/hosts']);

place(names);
const other = lookups.open();
const before = await other.find('named.example', signal);

// Whoever opens a named pipe waits for its writer.
place(nobody);
const run = lookups.open();
const asked = Array.from({ length: 40 }, (_, at) => run.find(`silent${at}.example`, signal).catch(() => 'gone'));
while (alive() < 4) await turn();
place(names);

const { address: peer } = await lookUpHere('localhost', 4);
const again = await other.find('named.example', signal);
run.close();
const silent = new Set((await Promise.all(asked)).flat());
await spawner.close();
console.log(JSON.stringify({ before, silent: [...silent], peer, again, left: alive() }));
