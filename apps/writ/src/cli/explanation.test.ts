import { expect, it } from 'vitest';
import { explanation } from './explanation.ts';

it('answers why: the verdict, each rule with its place, what would help', () => {
  const text = explanation(
    {
      direction: 'incoming',
      subject: 'laptop',
      effect: 'deny',
      code: 'LEASE_REQUIRED',
      message: '`repo-dev` needs a lease',
      next_steps: ['writ lease grant laptop repo-dev --for 1h'],
      requested_profile: 'system-change',
      effective_profile: 'repo-dev',
      generation: 7,
      trace: [
        { rule: 'peer', outcome: 'pass', detail: 'peer `laptop`', path: 'peers.laptop', line: 40 },
        {
          rule: 'ceilings',
          outcome: 'cut',
          detail: 'system-change is cut to repo-dev',
          path: 'profile_ceilings.system-change',
        },
        { rule: 'lease', outcome: 'deny', detail: 'none is live\u001b[31m' },
      ],
    },
    (step) => `  → ${step}`,
  );
  expect(text).toMatchInlineSnapshot(`
    "denied LEASE_REQUIRED: \`repo-dev\` needs a lease
      ✓ peer     peer \`laptop\`  (writ.toml:40 peers.laptop)
      ↓ ceilings system-change is cut to repo-dev  (writ.toml profile_ceilings.system-change)
      ✗ lease    none is live\\u{1b}[31m
      → writ lease grant laptop repo-dev --for 1h
      policy generation 7"
  `);
});
