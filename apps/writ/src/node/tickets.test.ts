import { createSystemRandom } from '@writ/core';
import { beforeEach, describe, expect, it } from 'vitest';
import { createTickets, type Tickets } from './tickets.ts';

let tickets: Tickets;
beforeEach(() => {
  tickets = createTickets(createSystemRandom());
});

describe('what takes a question back', () => {
  it('is the ticket of whoever asked it, once', () => {
    const ticket = tickets.give('q');
    expect([tickets.take('q', 'another'), tickets.take('p', ticket)]).toEqual([false, false]);
    expect([tickets.take('q', ticket), tickets.take('q', ticket)]).toEqual([true, false]);
  });

  it('is the last ticket of all who asked: one who asks for the same takes it from nobody', () => {
    const persons = tickets.give('q');
    const agents = tickets.give('q');
    expect(agents).not.toBe(persons);
    expect(tickets.take('q', agents)).toBe(false);
    expect(tickets.take('q', persons)).toBe(true);
  });

  it('is bounded, and forgotten with the question', () => {
    const first = tickets.give('q');
    const more = Array.from({ length: 100 }, () => tickets.give('q'));
    // Sixty-four with the first: these take it back together, and what came later takes nothing.
    expect(tickets.take('q', first)).toBe(false);
    expect(more.slice(0, 63).map((ticket) => tickets.take('q', ticket))).toEqual([...Array(62).fill(false), true]);
    expect(more.slice(63).map((ticket) => tickets.take('q', ticket))).not.toContain(true);
    const [gone, kept] = [tickets.give('p'), tickets.give('q')];
    tickets.keepOnly(new Set(['q']));
    expect([tickets.take('p', gone), tickets.take('q', kept)]).toEqual([false, true]);
  });
});
