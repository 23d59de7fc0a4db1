import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { compileConfig } from './compile.ts';
import { createPolicyEngine } from './engine.ts';
import { fixedClock, SELF_ID, testId } from './model/testing.ts';
import { outcomeOf } from './self-tests.ts';
import type { DecisionRequest, PolicyEngine, Usage } from './types.ts';

interface DecideCase {
  readonly from: string;
  readonly chain?: readonly string[];
  readonly profile?: string;
  readonly runner?: string;
  readonly workspace?: string;
  readonly lease?: boolean;
  readonly grant?: readonly string[];
  readonly usage?: Usage;
  readonly expect: string;
  readonly note?: string;
}

interface PolicyCase {
  readonly name: string;
  readonly toml: string;
  readonly load: 'ok' | readonly { readonly code: string; readonly path?: string }[];
  readonly decide?: readonly DecideCase[];
}

const CASES: readonly PolicyCase[] = JSON.parse(readFileSync(new URL('../cases/policy.json', import.meta.url), 'utf8'));

/** `self`, or a label; in capitals: the same id in the other letter case. */
function idOf(label: string): string {
  const id = label.toLowerCase() === 'self' ? SELF_ID : testId(label.toLowerCase());
  return label === label.toLowerCase() ? id : id.toUpperCase();
}

function requestOf(engine: PolicyEngine, one: DecideCase): DecisionRequest {
  const profiles = [...engine.snapshot().config.profiles.values()];
  const leases = profiles.map(({ name, closure }) => {
    return { id: `lease-${name}`, profile: name, closure, workspaces: [], expiresAtMs: 1 };
  });
  return {
    from: testId(one.from),
    chain: (one.chain ?? [one.from]).map(idOf),
    ...(one.profile === undefined ? {} : { profile: one.profile }),
    ...(one.runner === undefined ? {} : { runner: one.runner }),
    ...(one.workspace === undefined ? {} : { workspace: one.workspace }),
    ...(one.grant === undefined ? {} : { grants: [one.grant, one.grant] }),
    leases: one.lease ? leases : [],
    usage: one.usage ?? { concurrent: 0, lastHour: 0 },
  };
}

describe.each(CASES)('case: $name', ({ toml, load, decide }) => {
  const text = toml.replace(/\$([a-z]+)/g, (_, label: string) => testId(label));

  it('loads as it should', () => {
    const result = compileConfig(text);
    const found = result.ok ? [] : result.violations;
    if (load === 'ok') {
      expect(found).toEqual([]);
      return;
    }
    const wanted = load.map((one) => expect.objectContaining(one));
    expect(found).toEqual(expect.arrayContaining(wanted));
    expect(found.map(({ code }) => code).sort()).toEqual(load.map(({ code }) => code).sort());
    for (const { position } of found) expect(position?.line).toBeGreaterThan(0);
  });

  for (const one of decide ?? []) {
    it(`answers ${one.expect} to ${one.from} asking for ${one.profile ?? 'the default'}${one.note ? `: ${one.note}` : ''}`, () => {
      const engine = createPolicyEngine({ text, clock: fixedClock(), selfId: SELF_ID });
      const decision = engine.decide(requestOf(engine, one));
      const full = outcomeOf(decision);
      expect(one.expect.includes('/') ? full : full.split('/')[0]).toBe(one.expect);
    });
  }
});
