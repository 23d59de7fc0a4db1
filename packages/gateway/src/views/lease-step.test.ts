import { expect, it } from 'vitest';
import { stepsAfter } from './lease-step.ts';

const REFUSED = { code: 'LEASE_REQUIRED', message: '`ops` needs a lease', nextSteps: [] } as const;
const WANTED = { to: 'beta', profile: 'ops' };

it('says how to ask for a lease where one is missing', () => {
  expect(stepsAfter(REFUSED, WANTED)).toEqual([
    'ask for one (an agent: tool request_lease): writ lease request ops --peer beta --for 1h',
    'ask a person at beta',
  ]);
  expect(stepsAfter({ ...REFUSED, code: 'PROFILE_NOT_ALLOWED' }, WANTED)).toEqual(['ask a person at beta']);
});

it('sends nobody to ask for a lease who may not ask for one', () => {
  const message = `${REFUSED.message}; \`alpha\` may not ask for one (may_request_lease)`;
  expect(stepsAfter({ ...REFUSED, message }, WANTED)).toEqual(['ask a person at beta']);
});
