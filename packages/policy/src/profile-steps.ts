import { foldName, quote } from '@writ/core';
import { maskWithin } from './capabilities.ts';
import { joinPath } from './key-path.ts';
import { routeOf } from './route.ts';
import { always, type Deciding, deny, findByName, known, pass, type Refusal, type Step } from './step.ts';
import type { Profile } from './types.ts';

function at(profile: Profile, key?: string): string {
  const path = joinPath('profiles', profile.name);
  return key === undefined ? path : joinPath(path, key);
}

/** What the sender may ask for, as a next step that tells it nothing new. */
function askableSteps({ index, subject }: Deciding): readonly string[] {
  const { rules, path } = known(subject);
  if (rules.profiles.length > 0) return [`ask for one of: ${rules.profiles.slice(0, 20).join(', ')}`];
  return [`on ${quote(index.config.node.name)}, name profiles in ${joinPath(path, 'profiles')}`];
}

/** A profile is named, or there is a default that the sender may ask for. */
export const namedStep: Step = {
  rule: 'profile named',
  check(deciding) {
    const { index, request, subject } = deciding;
    if (request.profile !== undefined) return undefined;
    const fallback = index.config.node.defaultProfile;
    const usable = fallback !== undefined && known(subject).profiles.has(fallback);
    if (usable && !index.config.profiles.get(fallback)?.requireExplicit) return undefined;
    return deny(
      'PROFILE_REQUIRED',
      'no profile is named, and there is no default for this sender',
      askableSteps(deciding),
    );
  },
  note({ index, request }) {
    if (request.profile !== undefined) return pass(`${quote(request.profile)} is asked for`);
    return pass(
      `none is named, the default is ${quote(index.config.node.defaultProfile ?? '')}`,
      'node.default_profile',
    );
  },
  variant({ request, requested }) {
    if (request.profile === undefined) return 'default';
    return request.profile === requested?.name ? '' : undefined;
  },
};

/** The refusal of a profile that does not exist and of one that may not be asked for: they look the same. */
function notAskable(deciding: Deciding, code: 'PROFILE_UNKNOWN' | 'PROFILE_NOT_ALLOWED', written: string): Refusal {
  const { label, path } = known(deciding.subject);
  const message = `${quote(label)} may not ask for profile ${quote(foldName(written) ?? written)} here`;
  return deny(code, message, askableSteps(deciding), joinPath(path, 'profiles'));
}

/** The profile is defined. */
export const existsStep: Step = {
  rule: 'profile exists',
  check(deciding) {
    const { index, request } = deciding;
    const written = request.profile ?? index.config.node.defaultProfile ?? '';
    deciding.requested = findByName(index.config.profiles, written);
    return deciding.requested ? undefined : notAskable(deciding, 'PROFILE_UNKNOWN', written);
  },
  note({ requested }) {
    const { name, rank } = known(requested);
    return pass(`${quote(name)} is defined, rank ${rank}`, at(known(requested)));
  },
  variant: always,
};

/** The sender may ask for it. */
export const allowedStep: Step = {
  rule: 'profile allowed',
  check(deciding) {
    const { name } = known(deciding.requested);
    return known(deciding.subject).profiles.has(name) ? undefined : notAskable(deciding, 'PROFILE_NOT_ALLOWED', name);
  },
  note({ subject, requested }) {
    const { label, path } = known(subject);
    return pass(`${quote(label)} may ask for ${quote(known(requested).name)}`, joinPath(path, 'profiles'));
  },
  variant: always,
};

/** The ceilings of the node and of the sender, until none applies. */
export const ceilingStep: Step = {
  rule: 'ceilings',
  check(deciding) {
    const route = routeOf(deciding.index, known(deciding.subject), known(deciding.requested));
    deciding.route = route;
    deciding.effective = route.effective;
    return undefined;
  },
  note(deciding) {
    const { path } = known(deciding.route);
    const last = path.at(-2);
    if (last === undefined) return pass('no ceiling applies');
    const { rules, path: table } = known(deciding.subject);
    const isOwn = Object.hasOwn(rules.ceilings, last) && rules.ceilings[last] === path.at(-1);
    const written = isOwn ? joinPath(table, 'profile_ceilings') : 'profile_ceilings';
    return { outcome: 'cut', detail: path.map(quote).join(' → '), path: joinPath(written, last) };
  },
  variant: always,
};

/** INVARIANT: 1 the effective profile is no higher than the one asked for, looked at again and not only at load. */
export const rankStep: Step = {
  rule: 'rank',
  check(deciding) {
    const { index } = deciding;
    const requested = known(deciding.requested);
    const effective = known(deciding.effective);
    if (effective === requested) return undefined;
    const within = maskWithin(index.masks.get(effective.name) ?? 0, index.masks.get(requested.name) ?? 0);
    if (effective.rank <= requested.rank && within) return undefined;
    const message = `a ceiling raises ${quote(requested.name)} to ${quote(effective.name)}`;
    return deny('RANK_EXCEEDED', message, ['run: writ policy validate'], at(effective));
  },
  note({ requested, effective }) {
    return pass(`rank ${known(effective).rank} is within ${known(requested).rank}`, at(known(effective)));
  },
  variant: always,
};

/** INVARIANT: 1 what runs is the runner of the effective profile; a request may name no other. */
export const runnerStep: Step = {
  rule: 'runner',
  check({ index, request, effective: lowered }) {
    const effective = known(lowered);
    const runner = index.config.runners.get(effective.runner);
    if (!runner) {
      const next = `define [${joinPath('runners', effective.runner)}] and run: writ policy reload --accept`;
      const message = `the runner of ${quote(effective.name)} is not configured`;
      return deny('RUNNER_NOT_ALLOWED', message, [next], at(effective, 'runner'));
    }
    if (request.runner !== undefined && foldName(request.runner) !== runner.name) {
      const message = `${quote(effective.name)} does not run on ${quote(request.runner)}`;
      const next = `name ${quote(runner.name)} as the runner, or none`;
      return deny('RUNNER_NOT_ALLOWED', message, [next], at(effective, 'runner'));
    }
    const takes = runner.kind === 'shell' ? 'argv' : 'prompt';
    if (request.input === undefined || request.input === takes) return undefined;
    const wanted = takes === 'argv' ? 'a command after `--`' : 'a prompt';
    const message = `the runner ${quote(runner.name)} of ${quote(effective.name)} takes no ${request.input}`;
    return deny('RUNNER_NOT_ALLOWED', message, [`give the work as ${wanted}`], at(effective, 'runner'));
  },
  note: ({ effective }) => pass(`${quote(known(effective).runner)} runs it`, at(known(effective), 'runner')),
  variant: always,
};
