import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type Clock, WritError } from '@writ/core';
import type { ControlClient } from '@writ/gateway/client';
import type { Environment } from '../env.ts';
import { type Home, resolveHome } from '../home.ts';
import { connect } from '../lifecycle/connect.ts';
import { patienceWith } from '../lifecycle/hanging-node.ts';
import { type InitRequest, initNode } from '../lifecycle/init-node.ts';
import { runningPid } from '../lifecycle/running-pid.ts';
import { type Started, startNode } from '../lifecycle/start-node.ts';
import { killNode, stopNode } from '../lifecycle/stop-node.ts';
import { createLocalPerson, type LocalPerson } from './local-person.ts';

/** One node of a local mesh: a home of its own and a process of its own. */
export interface LocalNode {
  readonly name: string;
  readonly home: Home;
  /** Who answers for it. Throws NOT_APPROVER before `enroll`. */
  person(): LocalPerson;
  /** Enrols an approver of its own, whose key is kept in this process only. */
  enroll(): Promise<void>;
  /** Makes the node unless it is there already. */
  init(request: Omit<InitRequest, 'name'>): Promise<void>;
  start(): Promise<Started>;
  /** Does nothing where it does not run. */
  stop(): Promise<void>;
  /** `kill -9`; resolves when the process is gone. */
  kill(): Promise<void>;
  client(): ControlClient;
  /** Pid of the running process; undefined where it does not run. */
  pid(): number | undefined;
}

export function createLocalNode(dir: string, name: string, environment: Environment, clock: Clock): LocalNode {
  const home = resolveHome(environment, join(dir, name));
  const pid = (): number | undefined => runningPid(home);
  const client = (): ControlClient => connect(home, environment, patienceWith(home, clock));
  let person: LocalPerson | undefined;
  return {
    name,
    home,
    person() {
      if (person === undefined) throw new WritError('NOT_APPROVER', `nobody was enrolled at ${name}`);
      return person;
    },
    async enroll() {
      const made = await createLocalPerson(client, 'person');
      await client().call('approver_enroll', made.enrolled);
      person = made;
    },
    init: async (request) => void (existsSync(home.configFile) || (await initNode(home, { name, ...request }))),
    start: () => startNode(home, environment, clock),
    stop: async () => {
      if (pid() !== undefined) await stopNode(home, { connect: client, bySignal: true }, clock);
    },
    kill: () => killNode(home, clock),
    client,
    pid,
  };
}
