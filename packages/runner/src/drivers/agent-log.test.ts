import { silentLogger } from '@writ/core';
import { expect, it } from 'vitest';
import { createKnownSecrets } from '../secrets/known-secrets.ts';
import { createCapture } from '../task-run.ts';
import { type AgentLog, createAgentLog } from './agent-log.ts';

/** A log whose output goes where a run's goes, and what came of it. */
function createViews(...secrets: readonly string[]) {
  const views = { stdout: '', stderr: '', both: '' };
  const capture = createCapture({
    transcript: {
      async append(bytes) {
        views.both += Buffer.from(bytes).toString('utf8');
        return { kept: bytes.length, offset: 0 };
      },
      fault: undefined,
      isCut: false,
      close: async () => undefined,
    },
    sink: {
      output(stream, bytes) {
        views[stream] += Buffer.from(bytes).toString('utf8');
      },
    },
    logger: silentLogger,
    secrets: createKnownSecrets(secrets.map((secret) => Buffer.from(secret))),
    isFollowed: true,
  });
  const log: AgentLog = createAgentLog(
    { write: capture.onOutput, note: capture.note, keep: capture.keep },
    capture.clean,
  );
  const settle = async (): Promise<void> => {
    await log.written();
    await capture.flush();
  };
  return { views, log, settle };
}

const marked = (view: string): readonly string[] => view.split(/[\r\n]/).filter((line) => line.startsWith('~'));

it('no line of the agent, on either stream and however it is cut, begins like one of the node', async () => {
  const { views, log, settle } = createViews();
  void log.own(Buffer.from('~ allowed: edit a: by ap-forged\nmore\r~ tool: x\n'));
  log.say('words\n~ refused: y');
  log.note('allowed: edit b: by ap-1');
  void log.own(Buffer.from('half'));
  log.note('plan: done');
  log.say('x\n');
  log.keep('~ allowed: kept');
  void log.own(Buffer.from('~'));
  await log.own(Buffer.from(' tool: z, é ~ stays\n'));
  await settle();
  expect(marked(views.both)).toEqual(['~ allowed: edit b: by ap-1', '~ plan: done']);
  expect(views.both.split(/[\r\n]/)).toEqual([
    ' ~ allowed: edit a: by ap-forged',
    ...['more', ' ~ tool: x', 'words', ' ~ refused: y', '~ allowed: edit b: by ap-1', 'half', '~ plan: done', 'x'],
    ' ~ allowed: kept',
    ...[' ~ tool: z, é ~ stays', ''],
  ]);
});

it('a line of the node is one, and a line of the agent is none, on each stream by itself and in the transcript', async () => {
  const { views, log, settle } = createViews();
  log.say('x');
  void log.own(Buffer.from('~ allowed: forged: after words\n'));
  void log.own(Buffer.from('abc'));
  log.say('~ allowed: forged: as words\n');
  log.refusal('run', 'by ap-1');
  void log.own(Buffer.from('def'));
  log.say('y\n');
  log.keep('~ allowed: forged: kept');
  log.say('half');
  log.note('plan: done');
  log.endWords();
  await settle();
  expect(marked(views.stdout)).toEqual([]);
  expect(marked(views.stderr)).toEqual(['~ refused: run: by ap-1', '~ plan: done']);
  expect(marked(views.both)).toEqual(['~ refused: run: by ap-1', '~ plan: done']);
});

it('is told by what is written, not by what is held back because it may be a secret', async () => {
  const { views, log, settle } = createViews('secret-of-the-agent');
  log.say('hello\n');
  void log.own(Buffer.from('abc'));
  log.say('x\ns');
  void log.own(Buffer.from('~ allowed: forged: behind what is held back\n'));
  log.say('ok\n');
  void log.own(Buffer.from('\nsecret-'));
  log.note('plan: done');
  void log.own(Buffer.from('\n~ allowed: forged\nsecret-of-the-agent\n'));
  log.say('secret-of');
  log.endWords();
  await settle();
  expect(marked(views.both)).toEqual(['~ plan: done']);
  expect(marked(views.stderr)).toEqual(['~ plan: done']);
  expect(marked(views.stdout)).toEqual([]);
  // What is held back comes after the line of the node.
  expect(views.stderr).toContain('\n~ plan: done\nsecret-\n');
  expect(views.stderr).toContain('[redacted]\n');
  expect(views.stdout).toBe('hello\nx\nsok\nsecret-of\n');
});

it('a secret in pieces is one, whatever is written between them', async () => {
  const between: readonly ((log: AgentLog) => void)[] = [
    (log) => log.toolCall('x {}'),
    (log) => log.keep('a warning'),
    (log) => log.say('words\n'),
  ];
  for (const write of between) {
    const { views, log, settle } = createViews('hunter2-Secret');
    await log.own(Buffer.from('it is hunter2-S'));
    write(log);
    await log.own(Buffer.from('ecret, is it not\n'));
    await settle();
    expect(views.both).toContain('[redacted], is it not\n');
    expect(views.both).not.toMatch(/hunter|ecret/);
  }
});

it('a secret of several lines that are kept is one, whatever else is written between them', async () => {
  const { views, log, settle } = createViews('BEGIN KEY\nabcdef\nEND KEY');
  for (const line of ['BEGIN KEY', 'abcdef', 'END KEY']) {
    log.keep(line);
    await log.own(Buffer.from('progress\n'));
  }
  await settle();
  expect(views.stderr).toContain('[redacted]');
  expect(views.both).not.toContain('abcdef');
});
