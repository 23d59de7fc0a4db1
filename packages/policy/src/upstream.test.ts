import { describe, expect, it } from 'vitest';
import { createPolicyEngine } from './engine.ts';
import { BASE } from './testing/fixtures.ts';
import { fixedClock, SELF_ID } from './testing/testing.ts';

const watch = { acceptWidening: false };
const accept = { acceptWidening: true };

function withServer(...lines: readonly string[]): string {
  return `${BASE}[upstreams.files]\ncommand = ["files"]\n${lines.join('\n')}\n`;
}

function createEngine(text: string) {
  const engine = createPolicyEngine({ text, clock: fixedClock(), selfId: SELF_ID });
  const may = (tool: string, profile?: string, upstream = 'files'): string => {
    const decision = engine.decideUpstream({ upstream, tool, ...(profile === undefined ? {} : { profile }) });
    return decision.effect === 'allow' ? 'OK' : decision.code;
  };
  return { engine, may };
}

describe('tools of another MCP server', () => {
  it('are denied where nothing names them, to agents and to tasks', () => {
    const { may, engine } = createEngine(withServer());
    expect([may('read'), may('read', 'query'), may('read', undefined, 'other')]).toEqual(
      Array(3).fill('PROFILE_NOT_ALLOWED'),
    );
    const { nextSteps, trace } = engine.decideUpstream({ upstream: 'files', tool: 'read' });
    expect(nextSteps[0]).toContain('adds `read` to upstreams.files.agents');
    expect(trace).toMatchObject([{ rule: 'upstream tool', outcome: 'deny', path: 'upstreams.files.agents' }]);
  });

  it('may be called by whom the lists name', () => {
    const { may } = createEngine(withServer('agents = ["read", "list"]', 'tasks = ["read"]', 'profiles = ["query"]'));
    expect([may('read'), may('list'), may('write')]).toEqual(['OK', 'OK', 'PROFILE_NOT_ALLOWED']);
    expect([may('read', 'query'), may('list', 'query'), may('read', 'repo-dev')]).toEqual([
      ...['OK', 'PROFILE_NOT_ALLOWED', 'PROFILE_NOT_ALLOWED'],
    ]);
    const all = createEngine(withServer('agents = ["*"]', 'tasks = ["*"]'));
    expect([all.may('anything'), all.may('anything', 'query')]).toEqual(['OK', 'PROFILE_NOT_ALLOWED']);
  });

  it('are taken away by a reload at once, and given only by a yes', async () => {
    const { engine, may } = createEngine(withServer('agents = ["read", "list"]'));
    const narrowed = await engine.reload(withServer('agents = ["list"]'), watch);
    expect(narrowed.parked ?? []).toEqual([]);
    expect([may('read'), may('list')]).toEqual(['PROFILE_NOT_ALLOWED', 'OK']);
    const widened = await engine.reload(withServer('agents = ["*"]'), watch);
    expect(widened.parked).toMatchObject([
      { effect: 'gains', what: 'offers the tools of files: started as files; agents may call every tool' },
    ]);
    expect([may('read'), may('list')]).toEqual(['PROFILE_NOT_ALLOWED', 'OK']);
    await engine.reload(withServer('agents = ["*"]'), accept);
    expect([may('read'), may('list')]).toEqual(['OK', 'OK']);
  });

  it('are the same in whatever order they are named', async () => {
    const { engine } = createEngine(withServer('agents = ["read", "list"]', 'env = ["HOME", "PATH"]'));
    const reordered = await engine.reload(withServer('agents = ["list", "read"]', 'env = ["PATH", "HOME"]'), watch);
    expect(reordered.parked ?? []).toEqual([]);
  });

  it('are those of the accepted server until another one is accepted', async () => {
    const { engine } = createEngine(withServer('agents = ["*"]'));
    const text = withServer('agents = ["read"]', 'env = ["HOME"]').replace('["files"]', '["evil"]');
    await engine.reload(text, watch);
    expect(engine.snapshot().config.upstreams.get('files')).toMatchObject({
      ...{ command: ['files'], env: [], agents: ['read'] },
    });
  });
});
