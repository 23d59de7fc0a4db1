import { describe, it } from 'vitest';
import { agreement, PROPERTIES } from './testing/properties.ts';

/** The seed is fixed: a run in CI fails for a reason. `npm run prove -- policy` tries far more. */
const EFFORT = { policies: 150, requests: 20, seed: 2026 };

describe('for any policy and any request', () => {
  it.each(PROPERTIES)('$name', (property) => {
    property.prove(EFFORT);
  });

  it(agreement.name, () => {
    agreement.prove({ ...EFFORT, policies: 240 });
  });
});
