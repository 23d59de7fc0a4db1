import { createHash, timingSafeEqual } from 'node:crypto';
import type { Random } from '@writ/core';

const TICKET_BYTES = 32;
/** Most tickets of one question; whoever asks for it once more than that gets one that takes nothing back. */
const MOST_TICKETS = 64;

/** What takes a question back: a ticket for each time that it was asked for. No restart outlives them. */
export interface Tickets {
  /** A new one for a question. */
  give(question: string): string;
  /** Takes one in. True where it was the last: nobody who asked wants an answer any more. */
  take(question: string, ticket: string): boolean;
  /** Forgets those of all other questions. */
  keepOnly(questions: ReadonlySet<string>): void;
}

/** INVARIANT: 5 the host token is every agent's of this machine: asking for what a person asked for takes nothing from them. */
export function createTickets(random: Random): Tickets {
  const given = new Map<string, Buffer[]>();
  return {
    give(question) {
      const ticket = Buffer.from(random.bytes(TICKET_BYTES)).toString('base64url');
      const tickets = given.get(question) ?? [];
      if (tickets.length < MOST_TICKETS) given.set(question, [...tickets, digestOf(ticket)]);
      return ticket;
    },
    take(question, ticket) {
      const tickets = given.get(question) ?? [];
      const digest = digestOf(ticket);
      const left = tickets.filter((one) => !timingSafeEqual(one, digest));
      if (left.length === tickets.length) return false;
      given.set(question, left);
      return left.length === 0;
    },
    keepOnly(questions) {
      for (const question of given.keys()) if (!questions.has(question)) given.delete(question);
    },
  };
}

function digestOf(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
