import { quote, shellWord, visible } from '@writ/core';
import { runningPid } from '../../lifecycle/running-pid.ts';
import { fullShares } from '../held-work.ts';
import { unreadableText } from '../unreadable-rows.ts';
import { type Finding, fine, type Look, type Patient } from './types.ts';

type Status = NonNullable<Patient['status']>;

/** Looks at the running node, or says how it is started. */
export const lookAtNode: Look = async ({ context, status, unanswered }) => {
  const check = 'node';
  if (status !== undefined) {
    const up = fine(check, `${status.name} runs, pid ${status.pid}, version ${status.version}`);
    return [
      up,
      clock(status),
      ...policy(status),
      ...commands(status, context.home.logFile),
      ...keptWork(status),
      ...trash(status, context.home.logFile),
      audit(status),
      ...unreadable(status, context.home.logFile),
      ...upstreams(status, context.home.logFile),
      ...approver(status),
      ...peers(status),
    ];
  }
  if (unanswered?.code === 'UNREACHABLE') {
    return [{ check, state: 'problem', says: unanswered.message, mend: unanswered.nextSteps }];
  }
  const pid = runningPid(context.home);
  if (pid === undefined) return [{ check, state: 'problem', says: 'it does not run', mend: ['writ up'] }];
  const says = unanswered?.message ?? `a process with its pid (${pid}) runs and does not answer`;
  return [{ check, state: 'problem', says, mend: [`tail -n 20 ${context.home.logFile}`, 'writ down', 'writ up'] }];
};

function clock({ clock_is_backwards: isBackwards }: Status): Finding {
  const check = 'clock';
  if (!isBackwards) return fine(check, 'not behind what the node has recorded');
  const says = 'it went back behind what the node has recorded: no lease, window or writ counts';
  return { check, state: 'problem', says, mend: ['set the clock right, or: writ lease accept-clock'] };
}

function policy(status: Status): readonly Finding[] {
  const check = 'policy';
  const found: Finding[] = [];
  if (status.policy_error !== undefined) {
    const says = `the last reload failed, generation ${status.generation} stays in force: ${visible(status.policy_error)}`;
    found.push({ check, state: 'problem', says, mend: ['writ policy validate', 'writ policy reload'] });
  }
  if (status.policy_shut) {
    const says = 'nobody is let in: more changes wait than can be kept apart';
    found.push({ check, state: 'problem', says, mend: ['writ policy reload --accept'] });
  } else if (status.policy_parked > 0) {
    const says = `${status.policy_parked} changes that give somebody more wait for a yes`;
    found.push({ check, state: 'warning', says, mend: ['writ policy diff', 'writ policy reload --accept'] });
  }
  if (status.restart_needed.length > 0) {
    const says = `accepted, and not in use yet: ${status.restart_needed.join(', ')}`;
    found.push({ check, state: 'warning', says, mend: ['writ down && writ up'] });
  }
  if (status.isolation_none.length > 0) {
    const says = `profiles without a sandbox: ${status.isolation_none.map(quote).join(', ')}`;
    found.push({ check, state: 'note', says, mend: ['take isolation = "none" out of them, then: writ policy reload'] });
  }
  return found.length > 0 ? found : [fine(check, `generation ${status.generation} is in force`)];
}

function commands({ commands_problem: problem }: Status, logFile: string): readonly Finding[] {
  if (problem === undefined) return [];
  const says = `every command is refused: ${visible(problem)}`;
  const mend = [
    'install it again, where its files are not whole or of two versions; or make room in the memory',
    'writ down && writ up',
    `tail -n 20 ${shellWord(logFile)}`,
  ];
  return [{ check: 'commands', state: 'problem', says, mend }];
}

function keptWork({ held_work: held }: Status): readonly Finding[] {
  const check = 'kept work';
  const full = fullShares(held);
  if (full.length === 0) return [fine(check, 'no sender is near its share of the budget')];
  return full.map(({ isFull, says, mend }) => ({ check, state: isFull ? 'problem' : 'warning', says, mend }));
}

function trash({ undeleted_workspaces: folders }: Status, logFile: string): readonly Finding[] {
  if (folders.length === 0) return [];
  const says = `${folders.length} folders of workspaces could not be deleted and take room; the node tries again`;
  const mend = [`tail -n 20 ${logFile}`, ...folders.slice(0, 3).map((folder) => `ls -la ${shellWord(folder)}`)];
  return [{ check: 'deletion', state: 'warning', says, mend }];
}

function unreadable({ unreadable_rows: rows }: Status, logFile: string): readonly Finding[] {
  if (rows.length === 0) return [];
  return [
    {
      check: 'database',
      state: 'problem',
      says: unreadableText(rows),
      mend: [`grep 'stored row' ${shellWord(logFile)}`, 'put the database back, from a backup of this home'],
    },
  ];
}

function upstreams({ upstream_problems: problems }: Status, logFile: string): readonly Finding[] {
  return problems.map(({ upstream, problem }) => ({
    ...{ check: 'MCP server', state: 'warning', says: `${quote(upstream)}: ${visible(problem)}` },
    mend: [`look at upstreams.${upstream} in writ.toml`, `grep upstream ${shellWord(logFile)}`],
  }));
}

function audit({ audit: { rows, written, problem, next_steps: mend } }: Status): Finding {
  const check = 'audit log';
  if (problem === undefined) return fine(check, `${rows} entries`);
  return { check, state: 'problem', says: `${rows - written} entries behind: ${visible(problem)}`, mend };
}

function approver({ unseparated }: Status): readonly Finding[] {
  const check = 'approver';
  if (!unseparated) return [fine(check, 'leases, peers and what gives more need the yes of a person')];
  const says = 'none: an agent of your user can lend, pair and widen with the host token';
  return [{ check, state: 'warning', says, mend: ['writ approver enroll'] }];
}

function peers({ peers: all, mesh_address: address }: Status): readonly Finding[] {
  const check = 'peers';
  const enabled = all.filter((peer) => peer.enabled);
  const reach: Finding =
    address === undefined
      ? {
          ...{ check: 'reach', state: 'note', says: 'this node only dials out: it can ask, and cannot be asked' },
          mend: ['set [node] listen in writ.toml, then: writ policy reload --accept', 'writ down && writ up'],
        }
      : fine('reach', `peers reach it on ${address}`);
  if (all.length === 0) {
    const mend = ['writ peer invite', 'or, with a code of another node: writ peer join CODE'];
    return [reach, { check, state: 'note', says: 'none yet', mend }];
  }
  const down = enabled.filter(({ link }) => link === 'down');
  if (down.length === 0)
    return [reach, fine(check, `${enabled.length} of ${all.length} enabled, none is known to be down`)];
  return [
    reach,
    ...down.map(({ label }): Finding => {
      const mend = [`see its address: writ peer show ${label}`, 'on that machine: writ up'];
      return { check, state: 'warning', says: `${quote(label)} is down`, mend };
    }),
  ];
}
