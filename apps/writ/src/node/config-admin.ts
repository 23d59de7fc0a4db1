import { sha256Hex, WritError } from '@writ/core';
import type { ConfigAdmin, ProfileValidator, Proposal } from '@writ/gateway';
import {
  type CompiledPolicy,
  changesFrom,
  diffPolicies,
  type PolicyChange,
  type PolicyEngine,
  validateProfile,
} from '@writ/policy';
import type { NodeConfigFile, ProposedText } from './config-file.ts';
import type { Foundations } from './foundations.ts';
import type { NodePolicyCompiler } from './policy-compiler.ts';
import { textDifference } from './text-difference.ts';

/** What a person does with `writ.toml` through the gateway. */
export function createConfigAdmin(
  file: NodeConfigFile,
  { compiler, accepted, engine }: Pick<Foundations, 'compiler' | 'accepted' | 'engine'>,
): ConfigAdmin {
  let last: Pick<ProposedText, 'before' | 'after'> | undefined;
  const propose: ConfigAdmin['propose'] = async (change, { dryRun, digest }) => {
    const checked = (text: string): string => {
      if (digest !== undefined && digest !== sha256Hex(text)) throw changedSince();
      return change(text);
    };
    const proposed = await file.propose(checked, { dryRun });
    if (proposed.outcome !== undefined) last = proposed;
    return toldProposal(proposed, compiler, engine.acceptedTexts());
  };
  return {
    propose,
    revert: (options) => propose((text) => textBefore(last, text), options),
    text: () => file.read(),
    reload: (options) => file.reload(options),
    unusedYesAtMs: () => accepted.unusedAtMs(),
    async validate(text) {
      const compiled = await compiler.compile(text);
      return compiled.ok
        ? { violations: [], deprecations: compiled.policy.deprecations }
        : { violations: compiled.violations, deprecations: [] };
    },
    async test(text) {
      const report = await compiler.test(text);
      if (report.ok) return report.results;
      const [first] = report.violations;
      throw new WritError('CONFIG_INVALID', `the configuration does not load: ${first?.path}: ${first?.message}`, {
        nextSteps: ['writ policy validate'],
      });
    },
  };
}

function changedSince(): WritError {
  return new WritError('CONFLICT', 'writ.toml is another one than the text of this digest: somebody has changed it', {
    nextSteps: ['read it again (setup_show), make the change in that text, and give its digest'],
  });
}

/** Throws NOT_FOUND where nothing was proposed, CONFLICT where somebody changed the file since. */
function textBefore(last: Pick<ProposedText, 'before' | 'after'> | undefined, now: string): string {
  if (last === undefined) {
    throw new WritError('NOT_FOUND', 'nothing was changed by these tools since the node started');
  }
  if (last.after === now) return last.before;
  throw new WritError('CONFLICT', 'writ.toml was changed since by somebody else', { nextSteps: ['edit it by hand'] });
}

async function toldProposal(
  proposed: ProposedText,
  compiler: NodePolicyCompiler,
  accepted: ReturnType<PolicyEngine['acceptedTexts']>,
): Promise<Proposal> {
  const { before, after, violations, outcome } = proposed;
  const [from, to] = await Promise.all([compiler.compile(before), compiler.compile(after)]);
  // What is in force is what was accepted, and not what the file before it says.
  const gains = outcome !== undefined ? outcome.parked : to.ok ? gainsBeyond(accepted, to.policy) : undefined;
  return {
    difference: textDifference(before, after),
    digest: sha256Hex(outcome === undefined ? before : after),
    violations,
    changes: from.ok && to.ok ? diffPolicies(from.policy.config, to.policy.config) : [],
    gains: gains ?? [],
    ...(outcome === undefined ? {} : { outcome }),
  };
}

function gainsBeyond(
  accepted: ReturnType<PolicyEngine['acceptedTexts']>,
  next: CompiledPolicy,
): readonly PolicyChange[] {
  const texts = accepted.map(({ text }) => text);
  return changesFrom(texts, next).filter(({ effect }) => effect === 'gains');
}

/** The load rules for one profile alone. */
export function createProfileValidator(): ProfileValidator {
  return { validate: (declaration) => validateProfile(declaration) };
}
