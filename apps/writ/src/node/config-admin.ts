import { WritError } from '@writ/core';
import type { ConfigAdmin, ProfileValidator } from '@writ/gateway';
import { validateProfile } from '@writ/policy';
import type { NodeConfigFile } from './config-file.ts';
import type { NodePolicyCompiler } from './policy-compiler.ts';

/** What a person does with `writ.toml` through the gateway. */
export function createConfigAdmin(file: NodeConfigFile, compiler: NodePolicyCompiler): ConfigAdmin {
  return {
    text: () => file.read(),
    reload: (options) => file.reload(options),
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

/** The load rules for one profile alone. */
export function createProfileValidator(): ProfileValidator {
  return { validate: (declaration) => validateProfile(declaration) };
}
