import { formatSize, MOST_VALUES } from '@writ/core';
import { type AgentLog, createAgentLog } from './agent-log.ts';
import type { Conversation, ConversationParts } from './driver.ts';
import { createJsonLines, type JsonLine } from './json-lines.ts';

/** Reads one event; false: it is none that is known. */
export type EventReader = (event: unknown, log: AgentLog) => boolean;

/**
 * A conversation with an agent that was told everything on its command line and writes one JSON event a line. What is no
 * known event is kept in the transcript and is no failure: agents add events, and print warnings between them.
 */
export function followEvents({ output, clean }: ConversationParts, read: EventReader): Conversation {
  const log = createAgentLog(output, clean);
  const arrived: JsonLine[] = [];
  const lines = createJsonLines((line) => void arrived.push(line));
  const handle = (line: JsonLine): void => {
    if (line.kind === 'too-long') log.note(`an event of ${formatSize(line.bytes)} was left out`);
    else if (line.kind === 'too-many') log.note(`an event of more than ${MOST_VALUES} values was left out`);
    else if (line.kind === 'text') log.keep(line.text);
    else if (!read(line.value, log)) log.keep(line.text);
  };
  const workOff = async (): Promise<void> => {
    for (const line of arrived.splice(0)) {
      handle(line);
      await log.room();
    }
  };
  return {
    begin() {},
    async take(stream, bytes) {
      if (stream === 'stderr') return log.own(bytes);
      lines.push(bytes);
      await workOff();
      return log.written();
    },
    async finish() {
      lines.end();
      await workOff();
      log.endWords();
      await log.written();
      return log.report();
    },
  };
}
