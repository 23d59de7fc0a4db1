/**
 * What unit tests import from `vitest`, for running them again and again in one process: `describe`, `it`, hooks and
 * vitest's own `expect`. Tests are gathered here in the order of their files.
 */
import { ASYMMETRIC_MATCHERS_OBJECT, chai, JestAsymmetricMatchers, JestChaiExpect, JestExtend } from '@vitest/expect';

chai.use(JestExtend);
chai.use(JestChaiExpect);
chai.use(JestAsymmetricMatchers);

/** After so long a test is taken for one that never ends; quick tests take milliseconds. */
const LONGEST_TEST_MS = 15_000;
const POLL_MS = 20;

const tests = [];
/** The suites that are being declared, outermost first; the first stands for the file. */
const suites = [{ name: undefined, before: [], after: [] }];
/** What is left to do once no test is run any more. */
const atTheEnd = [];

/** Every test that the imported files have: `{ id, name, run }`. */
export function collected() {
  return tests;
}

/** Hooks outside a suite belong to one file: called between the files, which are all imported into one program. */
export function nextFile() {
  suites[0] = { name: undefined, before: [], after: [] };
}

const plainExpect = (value, message) => chai.expect(value, message);

/** Asks again until it holds, or until the test takes too long. */
function poll(ask, { timeout = 10_000 } = {}) {
  const tryUntil = async (check) => {
    for (const until = performance.now() + timeout; ; ) {
      try {
        return await check(await ask());
      } catch (error) {
        if (performance.now() > until) throw error;
        await new Promise((resolve) => setTimeout(resolve, POLL_MS));
      }
    }
  };
  const matcher = (isNot) =>
    new Proxy(
      {},
      {
        get: (_, name) =>
          name === 'not'
            ? matcher(!isNot)
            : (...args) => tryUntil((value) => (isNot ? plainExpect(value).not : plainExpect(value))[name](...args)),
      },
    );
  return matcher(false);
}

export const expect = Object.assign(plainExpect, chai.expect, globalThis[ASYMMETRIC_MATCHERS_OBJECT], { poll });

export const beforeEach = (hook) => suites.at(-1).before.push(hook);
export const afterEach = (hook) => suites.at(-1).after.push(hook);

/**
 * What a suite stands on is made before its first test, and by no change: the first run of all tests is without one. It stays
 * for every run of them, so that a test must leave it as it was, as it must for the next test.
 */
export function beforeAll(hook) {
  let made;
  beforeEach(async () => {
    made ??= Promise.resolve(hook()).then((cleanup) => {
      if (typeof cleanup === 'function') atTheEnd.push(cleanup);
    });
    await made;
  });
}

export const afterAll = (hook) => void atTheEnd.push(hook);

/** Clears away what suites stood on. */
export async function clear() {
  for (const hook of atTheEnd.splice(0).reverse()) await Promise.resolve(hook()).catch(() => undefined);
}

async function inTime(work) {
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error('the test does not end')), LONGEST_TEST_MS);
  });
  try {
    return await Promise.race([work(), late]);
  } finally {
    clearTimeout(timer);
  }
}

/** A hook that returns a function has it run afterwards, as in vitest. */
async function withHooks(around, run) {
  const after = around.flatMap((suite) => suite.after).reverse();
  const failures = [];
  const attempt = async (fn) => {
    try {
      const cleanup = await fn();
      if (typeof cleanup === 'function') after.push(cleanup);
    } catch (error) {
      failures.push(error);
    }
  };
  for (const hook of around.flatMap(({ before }) => before)) {
    if (failures.length === 0) await attempt(hook);
  }
  if (failures.length === 0) await attempt(async () => void (await run()));
  // What a change has broken must not keep the others from cleaning up.
  for (const hook of after) await attempt(async () => void (await hook()));
  if (failures.length > 0) throw failures[0];
}

function add(name, run) {
  const around = [...suites];
  const full = [...around.slice(1).map((suite) => suite.name), name].join(' > ');
  const twins = tests.filter((test) => test.name === full).length;
  const id = twins === 0 ? full : `${full} #${twins}`;
  tests.push({ id, name: full, run: () => inTime(() => withHooks(around, run)) });
}

function suite(name, body) {
  suites.push({ name, before: [], after: [] });
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
