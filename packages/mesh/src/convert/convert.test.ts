import { loadServices } from '@writ/wire';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decisionFromWire, decisionToWire, refusalFromWire } from './decision.ts';
import { eventFromWire, eventToWire } from './event.ts';
import { commitsFromWire, inputHeadFromWire } from './input.ts';
import { acknowledgedFromWire, receiptsFromWire, resultFromWire } from './result.ts';
import { specFromWire, specToWire } from './spec.ts';
import { taskFromWire } from './task.ts';

const { mesh } = loadServices();

const COMMIT = '0123456789'.repeat(4);

/** A message as it arrives at the other end. */
function throughWire<I, O>(
  method: { requestSerialize(value: I): Buffer; requestDeserialize(bytes: Buffer): O },
  value: I,
): O {
  return method.requestDeserialize(method.requestSerialize(value));
}
function back<I, O>(
  method: { responseSerialize(value: I): Buffer; responseDeserialize(bytes: Buffer): O },
  value: I,
): O {
  return method.responseDeserialize(method.responseSerialize(value));
}

const name = fc.stringMatching(/^[a-z0-9][a-z0-9._-]{0,20}$/);
const count = fc.nat({ max: Number.MAX_SAFE_INTEGER });
const text = fc.string({ unit: 'grapheme-ascii', minLength: 1, maxLength: 50 });

const digest = fc.stringMatching(/^[0-9a-f]{64}$/);
const shipped = fc.record(
  {
    commit: fc.stringMatching(/^(?:[0-9a-f]{40}|[0-9a-f]{64})$/),
    bundle: fc.record({ sha256: digest, bytes: fc.integer({ min: 1, max: 1024 ** 3 }) }),
  },
  { requiredKeys: ['commit'] },
);
const spec = fc.record(
  {
    input: fc.oneof(
      fc.record({
        kind: fc.constant('argv' as const),
        argv: fc
          .tuple(text, fc.array(fc.string({ unit: 'grapheme' })))
          .map(([first, rest]) => [first, ...rest].map((argument) => argument.replaceAll('\0', ''))),
      }),
      fc.record({ kind: fc.constant('prompt' as const), prompt: text }),
    ),
    profile: name,
    runner: name,
    workspace: name,
    ref: name,
    timeoutMs: fc.integer({ min: 1, max: 86_400_000 }),
    artifacts: fc.array(fc.stringMatching(/^[a-z*?./-]{1,30}$/), { minLength: 1, maxLength: 5 }),
  },
  { requiredKeys: ['input'] },
);

describe('a task specification', () => {
  it('arrives as it was sent', () => {
    const withInput = fc
      .tuple(spec, shipped, name)
      .map(([{ ref: _, ...rest }, sent, workspace]) => ({ ...rest, workspace, shipped: sent }));
    fc.assert(
      fc.property(fc.oneof(spec, withInput), (sent) => {
        const message = throughWire(mesh.Submit, { spec: specToWire(sent) });
        expect(specFromWire(message.spec)).toEqual(sent);
      }),
    );
  });

  it('is folded where it names something', () => {
    const { spec: message } = throughWire(mesh.Submit, { spec: { prompt: 'x', profile: 'Repo-DEV' } });
    expect(specFromWire(message).profile).toBe('repo-dev');
  });

  it('is refused where it could be misread', () => {
    const wrong = [
      {},
      { argv: {} },
      { argv: { arguments: [''] } },
      { argv: { arguments: ['a\0b'] } },
      { argv: { arguments: Array.from({ length: 5000 }, () => 'a') } },
      { argv: { arguments: ['a'.repeat(300_000)] } },
      { prompt: '' },
      { prompt: 'x'.repeat(600_000) },
      { prompt: 'x', profile: '../x' },
      { prompt: 'x', workspace: '-x' },
      { prompt: 'x', runner: 'a b' },
      { prompt: 'x', ref: '--upload-pack=x' },
      { prompt: 'x', ref: 'a\nb' },
      { prompt: 'x', timeoutMs: -1 },
      { prompt: 'x', artifacts: [''] },
      { prompt: 'x', artifacts: ['a\nb'] },
      { prompt: 'x', artifacts: ['a'.repeat(1025)] },
      { prompt: 'x', artifacts: Array.from({ length: 129 }, () => 'a') },
      { prompt: 'x', workspace: 'app', shipped: {} },
      { prompt: 'x', workspace: 'app', shipped: { commit: 'main' } },
      { prompt: 'x', workspace: 'app', shipped: { commit: 'A'.repeat(40) } },
      { prompt: 'x', workspace: 'app', shipped: { commit: COMMIT, bytes: 5 } },
      { prompt: 'x', workspace: 'app', shipped: { commit: COMMIT, sha256: '0'.repeat(64) } },
      { prompt: 'x', workspace: 'app', shipped: { commit: COMMIT, sha256: '0'.repeat(63), bytes: 5 } },
      { prompt: 'x', workspace: 'app', shipped: { commit: COMMIT, sha256: '0'.repeat(64), bytes: 2 ** 40 } },
      { prompt: 'x', workspace: 'app', shipped: { commit: COMMIT, sha256: '0'.repeat(64), bytes: -1 } },
      { prompt: 'x', workspace: 'app', ref: 'main', shipped: { commit: COMMIT } },
      { prompt: 'x', shipped: { commit: COMMIT } },
      { prompt: 'x', timeoutMs: 2 ** 60 },
    ];
    for (const message of wrong) {
      const received = throughWire(mesh.Submit, { spec: message });
      expect(() => specFromWire(received.spec), JSON.stringify(message).slice(0, 60)).toThrow(
        expect.objectContaining({ code: 'BAD_REQUEST' }),
      );
    }
    expect(() => specFromWire(null)).toThrow(expect.objectContaining({ code: 'BAD_REQUEST' }));
    expect(() => specToWire({ input: { kind: 'argv', argv: [] } })).toThrow();
    // No pattern is said by leaving them out: the writ is over one spelling of the request.
    expect(() => specToWire({ input: { kind: 'prompt', prompt: 'x' }, artifacts: [] })).toThrow('artifacts: is empty');
  });
});

const LOST = { state: 'TASK_STATE_LOST', resultSha256: '0'.repeat(64) } as const;

const time = fc.nat({ max: 253_402_300_799_999 });
const place = { seq: count, atMs: time, epoch: count };
const ending = fc.oneof(
  fc.record({ kind: fc.constant('exit' as const), exitCode: fc.integer({ min: 0, max: 255 }) }),
  fc.record({ kind: fc.constant('signal' as const), signal: fc.constant('SIGKILL') }),
  fc.record({ kind: fc.constant('timeout' as const), timeoutMs: fc.nat({ max: 86_400_000 }) }),
  fc.record({ kind: fc.constant('output-limit' as const), limitBytes: count }),
  fc.record({ kind: fc.constant('cancel' as const), cause: text }),
);
const outcome = fc.record(
  {
    state: fc.constantFrom('completed', 'failed', 'cancelled', 'rejected', 'lost'),
    code: fc.constantFrom('TIMED_OUT', 'LOST'),
    message: text,
    ending,
    truncated: fc.boolean(),
    stdoutBytes: count,
    stderrBytes: count,
    startedAtMs: time.filter((at) => at > 0),
    endedAtMs: time,
    result: digest,
  },
  { requiredKeys: ['state', 'message', 'truncated', 'stdoutBytes', 'stderrBytes', 'endedAtMs'] },
);
const granted = fc.record(
  {
    requestedProfile: name,
    effectiveProfile: name,
    effectiveRunner: name,
    isolation: fc.constantFrom('required', 'none'),
    generation: count,
    leaseId: name,
    message: text,
  },
  { requiredKeys: ['requestedProfile', 'effectiveProfile', 'effectiveRunner', 'isolation', 'generation', 'message'] },
);
const stream = fc.constantFrom('stdout', 'stderr');
const watched = fc.oneof(
  fc
    .record({ ...place, kind: fc.constant('state' as const), state: fc.constantFrom('running', 'lost', 'queued') })
    .map((event) => ({ event })),
  fc.record({ ...place, kind: fc.constant('granted' as const), granted }).map((event) => ({ event })),
  fc.record({ ...place, kind: fc.constant('dropped' as const), stream, bytes: count }).map((event) => ({ event })),
  fc.record({ ...place, kind: fc.constant('outcome' as const), outcome }).map((event) => ({ event })),
  fc
    .tuple(
      fc.record({ ...place, kind: fc.constant('outcome' as const), outcome }),
      digest,
      fc.uint8Array({ minLength: 1 }),
    )
    .map(([event, sha256, envelope]) => ({
      event: { ...event, outcome: { ...event.outcome, result: sha256 } },
      result: Buffer.from(envelope),
    })),
  fc
    .tuple(fc.record({ ...place, kind: fc.constant('output' as const), stream, offset: count }), fc.uint8Array())
    .map(([event, data]) => ({ event: { ...event, length: data.length }, data: Buffer.from(data) })),
);

describe('an event', () => {
  it('arrives as it was sent', () => {
    fc.assert(
      fc.property(watched, (sent) => {
        expect(eventFromWire(back(mesh.Watch, eventToWire('task-1', sent as never)))).toEqual(sent);
      }),
    );
  });

  it('is refused where it says nothing, or something that is unknown', () => {
    for (const message of [
      {},
      { state: {} },
      { state: { state: 99 } },
      { outcome: { state: 'TASK_STATE_RUNNING' as const } },
      { dropped: {} },
      { granted: { isolation: 'some' } },
      { state: { state: 'TASK_STATE_LOST' as const, code: 'lower' } },
      { outcome: { state: 'TASK_STATE_LOST' as const, resultSha256: '../key' } },
      { outcome: { state: 'TASK_STATE_LOST' as const, result: Buffer.from('x') } },
      { outcome: { ...LOST, result: Buffer.alloc(256 * 1024 + 1) } },
    ]) {
      const received = back(mesh.Watch, message);
      expect(() => eventFromWire(received), JSON.stringify(message)).toThrow(
        expect.objectContaining({ code: 'BAD_REQUEST' }),
      );
    }
  });

  it('has the result with it where that is short, and only its digest where it is long', () => {
    const outcome = { state: 'completed', message: '', truncated: false, stdoutBytes: 0, stderrBytes: 0 } as const;
    const ended = { ...outcome, endedAtMs: 1, result: 'a'.repeat(64) };
    const event = { seq: 1, atMs: 1, epoch: 1, kind: 'outcome', outcome: ended } as const;
    for (const [length, isThere] of [
      [256 * 1024, true],
      [256 * 1024 + 1, false],
    ] as const) {
      const sent = { event, result: Buffer.alloc(length, 'x') };
      const received = eventFromWire(back(mesh.Watch, eventToWire('task-1', sent)));
      expect(received.event).toEqual(event);
      expect(received.result?.length, String(length)).toBe(isThere ? length : undefined);
    }
  });

  it('is a fault of this node where its bytes are missing', () => {
    const event = { seq: 1, atMs: 1, epoch: 1, kind: 'output', stream: 'stdout', offset: 0, length: 2 } as const;
    expect(() => eventToWire('task-1', { event })).toThrow(expect.objectContaining({ code: 'INTERNAL' }));
    expect(() => eventToWire('task-1', { event, data: Buffer.from('x') })).toThrow(
      expect.objectContaining({ code: 'INTERNAL' }),
    );
  });
});

describe('a decision', () => {
  it('arrives without its trace, made safe to show', () => {
    const sent = decisionToWire({
      effect: 'ask',
      code: 'APPROVAL_REQUIRED',
      message: 'a\u001b[2J',
      nextSteps: ['x\u202ey'],
      requestedProfile: 'repo-dev',
      generation: 3,
      trace: [{ rule: 'secret', outcome: 'ask', detail: 'secret' }],
    });
    expect(JSON.stringify(sent)).not.toContain('secret');
    expect(decisionFromWire(back(mesh.CheckPolicy, { decision: sent }).decision)).toEqual({
      effect: 'ask',
      code: 'APPROVAL_REQUIRED',
      message: 'a\\u{1b}[2J; it adds: "x\\u{202e}y"',
      nextSteps: [],
      requestedProfile: 'repo-dev',
      generation: 3,
    });
  });

  it('claims no code that only this machine can mean; one of a later version is kept', () => {
    const read = (code: string): string =>
      decisionFromWire(back(mesh.CheckPolicy, { decision: { effect: 'EFFECT_DENY', code } }).decision).code;
    expect(['CLOCK_BACKWARDS', 'DATABASE_ERROR', 'PORT_IN_USE'].map(read)).toEqual(Array(3).fill('POLICY_ERROR'));
    expect(['LEASE_REQUIRED', 'CODE_OF_TOMORROW'].map(read)).toEqual(['LEASE_REQUIRED', 'CODE_OF_TOMORROW']);
  });

  it('refuses nothing where it allows', () => {
    const { decision } = back(mesh.CheckPolicy, { decision: { effect: 'EFFECT_ALLOW', code: 'OK' } });
    expect(() => refusalFromWire(decision)).toThrow(expect.objectContaining({ code: 'BAD_REQUEST' }));
    expect(() => refusalFromWire(undefined)).toThrow(expect.objectContaining({ code: 'BAD_REQUEST' }));
  });
});

describe('bytes of a peer', () => {
  it('either are read or refused as BAD_REQUEST, whatever they are', () => {
    const readers = [
      (bytes: Buffer) => eventFromWire(mesh.Watch.responseDeserialize(bytes)),
      (bytes: Buffer) => taskFromWire(mesh.GetTask.responseDeserialize(bytes).task),
      (bytes: Buffer) => specFromWire(mesh.Submit.requestDeserialize(bytes).spec),
      (bytes: Buffer) => resultFromWire(mesh.GetResult.responseDeserialize(bytes)),
      (bytes: Buffer) => receiptsFromWire(mesh.AckResult.requestDeserialize(bytes)),
      (bytes: Buffer) => acknowledgedFromWire(mesh.AckResult.responseDeserialize(bytes), []),
      (bytes: Buffer) => commitsFromWire(mesh.DescribeWorkspace.responseDeserialize(bytes)),
      (bytes: Buffer) => inputHeadFromWire(mesh.UploadInput.requestDeserialize(bytes)),
    ];
    let read = 0;
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), fc.constantFrom(...readers), (bytes, reader) => {
        try {
          reader(Buffer.from(bytes));
          read += 1;
        } catch (error) {
          // The deserialiser throws its own errors; an adapter around it catches those.
          expect(error).toBeInstanceOf(Error);
          expect(error).not.toBeInstanceOf(TypeError);
        }
      }),
      { numRuns: 2000 },
    );
    expect(read).toBeLessThan(2000);
  });
});
