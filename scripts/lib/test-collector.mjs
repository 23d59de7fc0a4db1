/**
 * What unit tests import from `vitest`, for running them again and again in one process: `describe`, `it` and vitest's own
 * `expect`. Tests are gathered here in the order of their files. Hooks are none: a test of a pure package has no use for them.
 */
import { ASYMMETRIC_MATCHERS_OBJECT, chai, JestAsymmetricMatchers, JestChaiExpect, JestExtend } from '@vitest/expect';

chai.use(JestExtend);
chai.use(JestChaiExpect);
chai.use(JestAsymmetricMatchers);

const tests = [];
const suites = [];

/** Every test that the imported files have: `{ id, run }`. */
export function collected() {
  return tests;
}

export const expect = Object.assign((value, message) => chai.expect(value, message), chai.expect);
Object.assign(expect, globalThis[ASYMMETRIC_MATCHERS_OBJECT]);

function add(name, run) {
  const full = [...suites, name].join(' > ');
  const twins = tests.filter((test) => test.name === full).length;
  tests.push({ id: twins === 0 ? full : `${full} #${twins}`, name: full, run });
}

function suite(name, body) {
  suites.push(name);
  if (body() !== undefined) throw new TypeError(`the suite ${name} is made asynchronously`);
  suites.pop();
}

/** Title and arguments of each row; the number keeps titles apart. */
function each(declare) {
  return (rows) => (title, body) => {
    rows.forEach((row, at) => {
      const args = Array.isArray(row) ? row : [row];
      declare(`${title} (${at})`, () => body(...args));
    });
  };
}

export const describe = Object.assign(suite, { each: each(suite) });
export const it = Object.assign(add, { each: each(add) });
