import { WritError } from '@writ/core';
import type { ConfigAdmin, ProfileValidator } from '@writ/gateway';
import { compileConfig, testConfig, validateProfile } from '@writ/policy';
import type { NodeConfigFile } from './config-file.ts';

/** What a person does with `writ.toml` through the gateway. */
export function createConfigAdmin(file: NodeConfigFile): ConfigAdmin {
  return {
    text: () => file.read(),
    reload: (options) => file.reload(options),
    validate(text) {
      const compiled = compileConfig(text);
      return compiled.ok
        ? { violations: [], deprecations: compiled.policy.deprecations }
        : { violations: compiled.violations, deprecations: [] };
    },
    test(text) {
      const report = testConfig(text);
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
