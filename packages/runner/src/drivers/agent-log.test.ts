import { expect, it } from 'vitest';
import { createAgentLog } from './agent-log.ts';

it('no line of the agent, on either stream and however it is cut, begins like one of the node', async () => {
  let transcript = '';
  const log = createAgentLog(
    async (_, bytes) => {
      transcript += bytes.toString('utf8');
    },
    (text) => text,
  );
  void log.own(Buffer.from('~ allowed: edit a: by ap-forged\nmore\r~ tool: x\n'));
  log.say('words\n~ refused: y');
  log.note('allowed: edit b: by ap-1');
  void log.own(Buffer.from('half'));
  log.note('plan: done');
  log.say('x\n');
  log.keep('~ allowed: kept');
  void log.own(Buffer.from('~'));
  await log.own(Buffer.from(' tool: z, é ~ stays\n'));
  const lines = transcript.split(/[\r\n]/);
  expect(lines.filter((line) => line.startsWith('~'))).toEqual(['~ allowed: edit b: by ap-1', '~ plan: done']);
  expect(lines).toEqual([
    ' ~ allowed: edit a: by ap-forged',
    ...['more', ' ~ tool: x', 'words', ' ~ refused: y', '~ allowed: edit b: by ap-1', 'half', '~ plan: done', 'x'],
    ' ~ allowed: kept',
    ...[' ~ tool: z, é ~ stays', ''],
  ]);
});

it('a line of the node is one, and a line of the agent is none, on each stream by itself and in the transcript', async () => {
  const views = { stdout: '', stderr: '', both: '' };
  const log = createAgentLog(
    async (stream, bytes) => {
      views[stream] += bytes.toString('utf8');
      views.both += bytes.toString('utf8');
    },
    (text) => text,
  );
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
  await log.written();
  const marked = (view: string): readonly string[] => view.split(/[\r\n]/).filter((line) => line.startsWith('~'));
  expect(marked(views.stdout)).toEqual([]);
  expect(marked(views.stderr)).toEqual(['~ refused: run: by ap-1', '~ plan: done']);
  expect(marked(views.both)).toEqual(['~ refused: run: by ap-1', '~ plan: done']);
});
