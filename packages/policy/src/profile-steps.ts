import { foldName, quote } from '@writ/core';
import { maskWithin } from './capabilities.ts';
import { descend } from './ceilings.ts';
import { joinPath } from './source.ts';
import { type Deciding, deny, type Finding, known, pass } from './step.ts';
import type { Profile } from './types.ts';

const at = (profile: Profile, key?: string) => () => {
  const path = joinPath('profiles', profile.name);
  return key === undefined ? path : joinPath(path, key);
};

/** What the sender may ask for, as a next step that tells it nothing new. */
function askableSteps(deciding: Deciding): readonly string[] {
  const askable = known(deciding.subject).rules.profiles;
  if (askable.length > 0) return [`ask for one of: ${askable.slice(0, 20).join(', ')}`];
  return [
    `on ${quote(deciding.index.config.node.name)}, name profiles in ${joinPath(known(deciding.subject).path, 'profiles')}`,
  ];
}

/** A profile is named, or there is a default that the sender may ask for. */
export function checkNamed(deciding: Deciding): Finding {
  const { index, request } = deciding;
  if (request.profile !== undefined) return pass(() => `${quote(request.profile ?? '')} is asked for`);
  const fallback = index.config.node.defaultProfile;
  const usable = fallback !== undefined && known(deciding.subject).profiles.has(fallback);
  if (!usable || index.config.profiles.get(fallback)?.requireExplicit) {
    return deny(
      'PROFILE_REQUIRED',
      'no profile is named, and there is no default for this sender',
      askableSteps(deciding),
    );
  }
  return pass(
    () => `none is named, the default is ${quote(fallback)}`,
    () => 'node.default_profile',
  );
}

/** The refusal of a profile that does not exist and of one that may not be asked for: they look the same. */
function notAskable(deciding: Deciding, code: 'PROFILE_UNKNOWN' | 'PROFILE_NOT_ALLOWED', written: string): Finding {
  const subject = known(deciding.subject);
  const message = `${quote(subject.label)} may not ask for profile ${quote(written)} here`;
  return deny(code, message, askableSteps(deciding), () => joinPath(subject.path, 'profiles'));
}

/** The profile is defined. */
export function checkExists(deciding: Deciding): Finding {
  const { index, request } = deciding;
  const written = request.profile ?? index.config.node.defaultProfile ?? '';
  const profile = index.config.profiles.get(foldName(written) ?? '');
  if (!profile) return notAskable(deciding, 'PROFILE_UNKNOWN', written);
  deciding.requested = profile;
  return pass(() => `${quote(profile.name)} is defined, rank ${profile.rank}`, at(profile));
}

/** The sender may ask for it. */
export function checkAllowed(deciding: Deciding): Finding {
  const subject = known(deciding.subject);
  const requested = known(deciding.requested);
  if (!subject.profiles.has(requested.name)) return notAskable(deciding, 'PROFILE_NOT_ALLOWED', requested.name);
  return pass(
    () => `${quote(subject.label)} may ask for ${quote(requested.name)}`,
    () => joinPath(subject.path, 'profiles'),
  );
}

/** The ceilings of the node and of the sender, until none applies. */
export function applyCeilings(deciding: Deciding): Finding {
  const { config } = deciding.index;
  const subject = known(deciding.subject);
  const requested = known(deciding.requested);
  const path = descend(config.profiles, config.ceilings, subject.rules.ceilings, requested.name);
  const effective = config.profiles.get(path.at(-1) ?? '');
  if (!effective) throw new TypeError('a ceiling names a profile that is not defined');
  deciding.effective = effective;
  if (path.length === 1) return pass(() => 'no ceiling applies');
  const last = path.at(-2) ?? requested.name;
  const isOwn = Object.hasOwn(subject.rules.ceilings, last) && subject.rules.ceilings[last] === effective.name;
  const table = isOwn ? joinPath(subject.path, 'profile_ceilings') : 'profile_ceilings';
  return { outcome: 'cut', detail: () => path.map(quote).join(' → '), path: () => joinPath(table, last) };
}

/** INVARIANT: 1 the effective profile is no higher than the one asked for, looked at again and not only at load. */
export function checkRank(deciding: Deciding): Finding {
  const { index } = deciding;
  const requested = known(deciding.requested);
  const effective = known(deciding.effective);
  if (effective === requested) return pass(() => `rank ${effective.rank}`, at(effective));
  const within = maskWithin(index.masks.get(effective.name) ?? 0, index.masks.get(requested.name) ?? 0);
  if (effective.rank > requested.rank || !within) {
    const message = `a ceiling raises ${quote(requested.name)} to ${quote(effective.name)}`;
    return deny('RANK_EXCEEDED', message, ['run: writ policy validate'], at(effective));
  }
  return pass(() => `rank ${effective.rank} is within ${requested.rank}`, at(effective));
}

/** INVARIANT: 1 what runs is the runner of the effective profile; a request may name no other. */
export function checkRunner(deciding: Deciding): Finding {
  const { index, request } = deciding;
  const effective = known(deciding.effective);
  const runner = index.config.runners.get(effective.runner);
  const path = at(effective, 'runner');
  if (!runner) {
    const next = `define [${joinPath('runners', effective.runner)}] and run: writ policy reload`;
    return deny('RUNNER_NOT_ALLOWED', `the runner of ${quote(effective.name)} is not configured`, [next], path);
  }
  if (request.runner !== undefined && foldName(request.runner) !== runner.name) {
    const message = `${quote(effective.name)} does not run on ${quote(request.runner)}`;
    return deny('RUNNER_NOT_ALLOWED', message, [`name ${quote(runner.name)} as the runner, or none`], path);
  }
  const takes = runner.kind === 'shell' ? 'argv' : 'prompt';
  if (request.input !== undefined && request.input !== takes) {
    const wanted = takes === 'argv' ? 'a command after `--`' : 'a prompt';
    const message = `the runner ${quote(runner.name)} of ${quote(effective.name)} takes no ${request.input}`;
    return deny('RUNNER_NOT_ALLOWED', message, [`give the work as ${wanted}`], path);
  }
  return pass(() => `${quote(runner.name)} runs it`, path);
}
