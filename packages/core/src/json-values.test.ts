import { expect, it } from 'vitest';
import { createValueCounter, holdsMoreValues, jsonWeight, MOST_VALUES, parseCounted } from './json-values.ts';

it('counts values, and none of what looks like one in a string', () => {
  const counted = (text: string): number => createValueCounter().take(text);
  expect(counted('7')).toBe(1);
  expect(counted('[1,2,3]')).toBe(4);
  expect(counted('{"a":{"b":1,"c":[]}}')).toBe(5);
  expect(counted('"[[[,,,{\\"[,\\\\"')).toBe(1);
  expect(counted('["\\\\",["\\\\\\"",1]]')).toBe(5);
});

it('goes on where a piece ends, within strings and escapes too', () => {
  const text = '{"a\\"[":[1,"x,y",{"b":"\\\\"}],"c":2}';
  const whole = createValueCounter().take(text);
  for (let at = 0; at <= text.length; at += 1) {
    const counter = createValueCounter();
    counter.take(text.slice(0, at));
    expect(counter.take(text.slice(at)), String(at)).toBe(whole);
  }
});

it('a string that is left open hides nothing that stands on the next line', () => {
  expect(createValueCounter().take('id: "\rdata: [1,2]')).toBe(3);
  expect(createValueCounter().take('id: "\\\n[1,2]')).toBe(3);
});

it('parses as much as may be, and says of more what to do', () => {
  const list = (count: number): string => JSON.stringify({ a: Array(count - 2).fill(0) });
  expect(parseCounted(list(MOST_VALUES))).toHaveProperty('a.length', MOST_VALUES - 2);
  expect(() => parseCounted(list(MOST_VALUES + 1))).toThrow(/holds more than 10000 values/);
  expect(() => parseCounted('{')).toThrow(SyntaxError);
});

it('counts bytes as it counts a text, however long they are', () => {
  const text = `["ü,[","\\"[",{"a":[7]}${',[],"x,y"'.repeat(20_000)}]`;
  const count = createValueCounter().take(text);
  const bytes = new Uint8Array(Buffer.from(`-${text}-`)).subarray(1, -1);
  expect([holdsMoreValues(bytes, count - 1), holdsMoreValues(bytes, count)]).toEqual([true, false]);
  expect([holdsMoreValues(new Uint8Array(), 0), holdsMoreValues(new Uint8Array(), 1)]).toEqual([true, false]);
});

it('a text weighs what it is read into', () => {
  expect(jsonWeight('"abc"')).toBe(5 + 128);
  expect(jsonWeight(JSON.stringify(Array(9999).fill({})))).toBeGreaterThan(1024 * 1024);
});
