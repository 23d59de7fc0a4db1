import { isWritError } from '@writ/core';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createDispatcher } from './dispatch.ts';
import { type AnyOperation, implement } from './implement.ts';
import { createOperations } from './operations/index.ts';
import { SELF } from './operations/peer-lookup.ts';
import { createRegistry } from './registry.ts';
import { createFakeNode } from './testing/fake-node.ts';
import { completed, fakeMirror } from './testing/fake-records.ts';
import { createFakeResults, fakeReceived, fakeResult } from './testing/fake-results.ts';
import type { Caller } from './types.ts';

const host: Caller = { kind: 'host' };
const agent: Caller = { kind: 'host', session: { origin: 'o', id: 's', agent: 'a' } };
const task: Caller = { kind: 'task', task: 't-root', session: { origin: 'o', id: 's', agent: 'a' } };
const signal = new AbortController().signal;

/** An artifact of the one task that is there. */
const OUT = createFakeResults().keep('out');

/** Values near what a JSON schema asks for: mostly right, sometimes hostile. */
function near(schema: z.core.JSONSchema.BaseSchema, key = ''): fc.Arbitrary<unknown> {
  const hostile = fc.oneof(
    fc.jsonValue(),
    fc.constantFrom('', '\0', '../..', '__proto__', '\u202e', 'x'.repeat(70_000), -1, 1e308, Number.MAX_SAFE_INTEGER),
  );
  return fc.oneof({ weight: 9, arbitrary: fitting(schema, key) }, { weight: 1, arbitrary: hostile });
}

function fitting(schema: z.core.JSONSchema.BaseSchema, key: string): fc.Arbitrary<unknown> {
  if (schema.enum) return fc.constantFrom(...schema.enum);
  if (schema.const !== undefined) return fc.constant(schema.const);
  const parts = schema.anyOf ?? schema.oneOf;
  if (parts) return fc.oneof(...parts.map((part) => near(part as z.core.JSONSchema.BaseSchema)));
  switch (schema.type) {
    case 'boolean':
      return fc.boolean();
    case 'integer':
    case 'number':
      return fc.integer({ min: schema.minimum ?? 0, max: Math.min(schema.maximum ?? 1000, 1000) });
    case 'array':
      return fc.array(near((schema.items ?? {}) as z.core.JSONSchema.BaseSchema, key), {
        minLength: Math.min(schema.minItems ?? 0, 4),
        maxLength: 4,
      });
    case 'object': {
      const { properties = {}, required = [] } = schema;
      const model: Record<string, fc.Arbitrary<unknown>> = {};
      for (const [name, part] of Object.entries(properties))
        model[name] = near(part as z.core.JSONSchema.BaseSchema, name);
      return fc.record(model, { requiredKeys: required });
    }
    default:
      if (/^(timeout|duration|lease)$/.test(key))
        return fc.constantFrom('30s', '8h', ...(key === 'lease' ? ['l-1', 'l-2'] : []));
      if (key === 'task') return fc.constantFrom('t-0', 't-0', 'nothing');
      if (key === 'execution') return fc.constantFrom('x-1', 'x-1', 'nothing');
      if (key === 'approval') return fc.constantFrom('a-1', 'nothing');
      if (/^(repository|ship|path)$/.test(key)) return fc.constantFrom('/src/app', 'app');
      if (key === 'git') return fc.constantFrom('HOME=/home/a', 'GIT_CONFIG_COUNT=0');
      if (key === 'digest') return fc.constant('f'.repeat(64));
      if (key === 'sha256') return fc.constantFrom(OUT.sha256, 'f'.repeat(64));
      return fc.constantFrom('beta', 'self', 'query', 'app', 't-0', '30s', 'nothing', 'l-1');
  }
}

/** Somebody who may succeed with it: a task where only tasks may, and whoever has a session where something is their own. */
function callerOf(operation: AnyOperation['operation']): Caller {
  if ('mcp' in operation && operation.mcp?.onlyTasks === true) return task;
  return operation.name === 'release_lease' ? agent : host;
}

describe('dispatch', () => {
  it('answers inputs made from the schemas with answers that fit or typed errors only', async () => {
    const node = createFakeNode();
    node.asked.records.set('t-0', fakeMirror('t-0', { state: 'completed', outcome: completed }));
    node.asked.transcripts.set('t-0', { bytes: Buffer.from('out'), end: true });
    const artifacts = [{ name: 'app', ...node.results.keep('out') }];
    node.results.received.set('t-0', fakeReceived(fakeResult('t-0', { artifacts })));
    node.asked.append('t-0', { kind: 'outcome', outcome: completed });
    node.ports.authority.grantLease({ peer: 'beta', profile: 'repo-dev', durationMs: 1000, issuedBy: 'person' });
    const [lent] = node.leases.values();
    if (lent !== undefined) node.leases.set('l-2', { ...lent, id: 'l-2', peer: SELF, session: 's' });
    const registry = createRegistry(createOperations(node.ports, { problems: () => [] }));
    const dispatcher = createDispatcher(registry, node.ports.scope);
    for (const { operation } of registry.entries) {
      const schema = z.toJSONSchema(operation.input, { io: 'input' }) as z.core.JSONSchema.BaseSchema;
      const codes = new Set<string>();
      const caller = callerOf(operation);
      await fc.assert(
        fc.asyncProperty(near(schema), async (input) => {
          const one = new AbortController();
          try {
            const call = dispatcher.prepare(operation.name, input, caller);
            // A stream that waits for what may never come ends when its caller goes away.
            if (call.form === 'stream') setImmediate(() => one.abort());
            if (call.form === 'call') await call.run({ caller, signal: one.signal });
            else for await (const _ of call.run({ caller, signal: one.signal })) break;
            codes.add('OK');
          } catch (error) {
            if (!isWritError(error) || error.code === 'INTERNAL') throw error;
            codes.add(error.code);
          } finally {
            one.abort();
          }
        }),
        { numRuns: 400, seed: 2026 },
      );
      expect(codes, operation.name).toContain('OK');
    }
  });

  it('gives out nothing that the schema of an answer does not hold', async () => {
    const spec = { name: 'leaky', summary: '', input: z.strictObject({}), taskToken: 'deny' } as const;
    const leaky = implement({ ...spec, output: z.object({ a: z.string() }) }, () => ({ a: 'x', secret: 'y' }));
    const dispatcher = createDispatcher(createRegistry([leaky]), { within: () => false });
    const call = dispatcher.prepare('leaky', {}, host);
    expect(call.form === 'call' && (await call.run({ caller: host, signal }))).toEqual({ a: 'x' });
  });

  it('takes an answer that does not fit its schema for a fault', async () => {
    const spec = { name: 'wrong', summary: '', input: z.strictObject({}), taskToken: 'deny' } as const;
    const wrong = implement({ ...spec, output: z.object({ count: z.number().int() }) }, () => ({ count: 0.5 }));
    const call = createDispatcher(createRegistry([wrong]), { within: () => false }).prepare('wrong', {}, host);
    await expect(call.form === 'call' && call.run({ caller: host, signal })).rejects.toMatchObject({
      code: 'INTERNAL',
    });
  });

  it('refuses a call whose ownership cannot be checked', () => {
    const spec = {
      name: 'odd',
      summary: '',
      input: z.strictObject({}),
      taskToken: 'subtree',
      ownedTask: 'task',
    } as const;
    const odd = implement({ ...spec, output: z.object({}) }, () => ({}));
    const dispatcher = createDispatcher(createRegistry([odd]), { within: () => true });
    expect(() => dispatcher.prepare('odd', {}, host)).toThrow('has no task');
  });
});
