import type { Config, Profile, RunnerConfig } from '@writ/policy';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type Listening, startListening } from '../testing/listening.ts';

let at: Listening;
beforeEach(async () => {
  at = await startListening();
});
afterEach(() => at.stop());

/** The same node, with these runners and profiles. */
function configure(runners: readonly RunnerConfig[], profiles: readonly Partial<Profile>[]): void {
  const { engine } = at.node.ports;
  const { config, ...snapshot } = engine.snapshot();
  const [base] = [...config.profiles.values()];
  if (base === undefined) throw new Error('the fake node has no profile');
  const changed: Config = {
    ...config,
    runners: new Map(runners.map((one) => [one.name, one])),
    profiles: new Map(profiles.map((one) => [one.name ?? '', { ...base, isolation: 'required' as const, ...one }])),
  };
  Object.assign(engine, { snapshot: () => ({ ...snapshot, config: changed }) });
}

const SHELL: RunnerConfig = { name: 'shell', kind: 'shell', argv: [] };
const CLAUDE: RunnerConfig = { name: 'helper', kind: 'claude', argv: [] };

it('says which agents are there, which runners start them, and who uses those', async () => {
  configure([SHELL, CLAUDE], [{ name: 'fix', runner: 'helper', closure: ['use_network'] }]);
  const { runners, agents } = await at.client.call('runner_list', {});
  expect(runners).toEqual([
    { name: 'shell', kind: 'shell', profiles: [], problems: [] },
    {
      ...{ name: 'helper', kind: 'claude', program: 'claude', path: '/usr/bin/claude', agent: 'claude' },
      ...{ sandbox: 'runs', profiles: ['fix'], problems: [] },
    },
  ]);
  expect(agents).toMatchObject([
    { name: 'claude', installed: true, version: '2.1.332', sandbox: 'runs', asks_leave: false, runners: ['helper'] },
    { name: 'codex', installed: false, problem: 'not installed', next_steps: ['install it'], runners: [] },
  ]);
});

it('says what is missing of a runner whose program is not there', async () => {
  const runners = [
    { name: 'coder', kind: 'codex', argv: ['codex', '--model', 'm'] },
    { name: 'other', kind: 'command', argv: ['nothing-here', '{prompt}'] },
    { name: 'local', kind: 'command', argv: ['./agent', '{prompt}'] },
  ] as const;
  configure(runners, [{ name: 'fix', runner: 'coder' }]);
  const answer = await at.client.call('runner_list', {});
  expect(answer.runners.map(({ problems }) => problems)).toEqual([
    [
      {
        message: 'program `codex` was not found: its profiles end with RUNNER_UNAVAILABLE',
        next_steps: ['install it'],
      },
    ],
    [{ message: 'program `nothing-here` was not found', next_steps: [expect.stringContaining('absolute path')] }],
    [],
  ]);
});

it('says what keeps the tasks of a profile from its model, and from its program', async () => {
  const mine: RunnerConfig = { name: 'mine', kind: 'acp', argv: ['mine'] };
  const profiles = [
    { name: 'blind', runner: 'helper', closure: ['read_repo'] },
    { name: 'open', runner: 'helper', closure: ['read_repo'], isolation: 'none' as const },
    { name: 'hidden', runner: 'mine', closure: ['use_network'] },
    { name: 'shown', runner: 'mine', closure: ['use_network'], readPaths: ['/home/me/bin'] },
  ];
  configure([CLAUDE, mine], profiles);
  const { runners } = await at.client.call('runner_list', {});
  const told = runners.flatMap(({ problems }) => problems.map(({ profile, message }) => [profile, message]));
  expect(told).toEqual([
    ['blind', 'its agent reaches no network, and so no model'],
    ['hidden', 'its sandbox does not show `/home/me/bin/mine`'],
  ]);
});
