import { quote, sha256Hex, WritError } from '@writ/core';
import { dropProfile, dropWorkspace, putCeiling, putPeer, putProfile, putSelf, putWorkspace } from '@writ/policy';
import type { OperationOutput } from '../client/types.ts';
import { setupContract } from '../contract/setup.ts';
import type { GatewayPorts } from '../gateway-ports.ts';
import { type AnyOperation, implement } from '../implement.ts';
import type { Proposal } from '../ports.ts';
import { viewChanges, viewViolation } from '../views/policy-view.ts';
import { requireName } from './peer-lookup.ts';

type Proposed = OperationOutput<'setup_profile'>;

/**
 * Changes of the configuration that an agent may propose.
 * INVARIANT: 2 none of these says yes: what gives someone more waits, and its question is answered elsewhere.
 */
export function setupOperations(ports: GatewayPorts): readonly AnyOperation[] {
  const { config } = ports;
  const propose = async (dryRun: boolean, change: (text: string) => string): Promise<Proposed> =>
    told(ports, await config.propose(change, { dryRun }), dryRun);
  return [
    implement(setupContract.setup_profile, ({ name, dry_run: dry, ...keys }) => {
      const profile = requireName('name', name);
      return propose(dry, (text) => putProfile(text, profile, given(keys)));
    }),
    implement(setupContract.setup_profile_remove, ({ name, dry_run: dry }) =>
      propose(dry, (text) => dropProfile(text, name)),
    ),
    implement(setupContract.setup_ceiling, ({ profile, ceiling, peer, dry_run: dry }) =>
      propose(dry, (text) => putCeiling(text, { profile, ceiling, ...(peer === undefined ? {} : { peer }) })),
    ),
    implement(setupContract.setup_ceiling_remove, ({ profile, peer, dry_run: dry }) =>
      propose(dry, (text) =>
        putCeiling(text, { profile, ceiling: undefined, ...(peer === undefined ? {} : { peer }) }),
      ),
    ),
    implement(setupContract.setup_workspace, ({ name, path, dry_run: dry }) => {
      const workspace = requireName('name', name);
      return propose(dry, (text) => putWorkspace(text, workspace, requirePath(path)));
    }),
    implement(setupContract.setup_workspace_remove, ({ name, dry_run: dry }) =>
      propose(dry, (text) => dropWorkspace(text, name)),
    ),
    implement(
      setupContract.setup_peer,
      ({ peer, dry_run: dry, outbound_profiles: profiles, outbound_workspaces: workspaces, ship, ...keys }) =>
        propose(dry, (text) => putPeer(text, peer, given(keys), given({ profiles, workspaces, ship }))),
    ),
    implement(setupContract.setup_self, ({ dry_run: dry, ...keys }) =>
      propose(dry, (text) => putSelf(text, given(keys))),
    ),
    implement(setupContract.setup_configuration, async ({ text: whole, digest, dry_run: dryRun }) =>
      told(ports, await config.propose(() => whole, { dryRun, digest }), dryRun),
    ),
    implement(setupContract.setup_revert, async ({ digest, dry_run: dryRun }) =>
      told(ports, await config.revert({ dryRun, digest }), dryRun),
    ),
    implement(setupContract.setup_reload, async () => {
      const outcome = await config.reload({ accept: false });
      const digest = sha256Hex(await config.text());
      const { violations = [], parked: gains = [] } = outcome;
      return told(ports, { difference: '', digest, violations, changes: [], gains, outcome }, false);
    }),
    implement(setupContract.setup_show, async () => {
      const text = await config.text();
      return { text, digest: sha256Hex(text) };
    }),
  ];
}

/** Without what was not said. */
function given(keys: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(keys).filter(([, value]) => value !== undefined));
}

function requirePath(path: string): string {
  if (path.startsWith('/') || path === '~' || path.startsWith('~/')) return path;
  throw new WritError('BAD_REQUEST', `${quote(path)} is no absolute path`, { nextSteps: ['write it from / or ~/ on'] });
}

/** What came of a proposal, and who has to say yes to the rest. */
function told(ports: GatewayPorts, proposal: Proposal, isDry: boolean): Proposed {
  const { outcome, violations, difference, digest } = proposal;
  const waits = viewChanges(proposal.gains);
  const approval = isDry || waits.length === 0 ? undefined : askPerson(ports);
  return {
    changed: outcome !== undefined && difference !== '',
    digest,
    valid: violations.length === 0,
    violations: violations.map(viewViolation),
    difference,
    changes: viewChanges(proposal.changes),
    in_force: outcome?.reloaded === true && waits.length === 0,
    waits,
    ...(approval === undefined ? {} : { approval }),
    generation: outcome?.generation ?? ports.engine.status().generation,
    restart_needed: [...(outcome?.restartNeeded ?? [])],
    next_steps: nextSteps({ isDry, isValid: violations.length === 0, waits: waits.length, approval }),
  };
}

/** Puts the question to the approvers; undefined where there is none, or where it cannot be asked now. */
function askPerson({ person, logger }: GatewayPorts): string | undefined {
  if (!person.hasApprover()) return undefined;
  try {
    return person.ask({ about: 'policy' }).id;
  } catch (error) {
    logger.warn('a person could not be asked about the configuration', { reason: (error as Error).message });
    return undefined;
  }
}

function nextSteps(came: {
  readonly isDry: boolean;
  readonly isValid: boolean;
  readonly waits: number;
  readonly approval: string | undefined;
}): string[] {
  if (!came.isValid) return ['nothing was written: mend what violations says'];
  if (came.isDry) {
    const then = came.waits === 0 ? '' : '; what waits says would have no effect before a person says yes';
    return [`nothing was written: leave dry_run out to do it${then}`];
  }
  if (came.waits === 0) return [];
  return came.approval === undefined
    ? ['a person types: writ policy status, then writ policy reload --accept']
    : [
        `a person types at a terminal: writ approval show ${came.approval}, then writ approval approve ${came.approval}`,
      ];
}
