import { nearest, quote } from '@writ/core';
import { maskWithin } from './capabilities.ts';
import { networkWithin } from './network.ts';
import { maskOfProfile } from './profiles.ts';
import type { Placed, Report } from './readers.ts';
import type { Profile } from './types.ts';

type Profiles = ReadonlyMap<string, Profile>;
type Ceilings = ReadonlyMap<string, Placed<Placed<string>>>;
type Steps = Readonly<Record<string, string>>;

/** Why `inner` is not within `outer`; undefined where it is. */
function whyNotWithin(inner: Profile, outer: Profile): string | undefined {
  if (inner.rank > outer.rank) return `rank ${inner.rank} is above ${outer.rank}`;
  const more = inner.closure.filter((member) => !outer.closure.includes(member));
  if (more.length > 0) return `it holds ${more.join(', ')}`;
  if (!networkWithin(inner.network, outer.network)) return 'its network reaches further';
  if (inner.timeoutMs > outer.timeoutMs) return 'its timeout is longer';
  if (inner.maxOutputBytes > outer.maxOutputBytes) return 'its output limit is larger';
  if (inner.isolation === 'none' && outer.isolation === 'required') return 'it drops the isolation';
  return undefined;
}

/** `whyNotWithin` as a yes or no, without building a message. */
export function profileWithin(inner: Profile, outer: Profile): boolean {
  return (
    inner.rank <= outer.rank &&
    maskWithin(maskOfProfile(inner), maskOfProfile(outer)) &&
    networkWithin(inner.network, outer.network) &&
    inner.timeoutMs <= outer.timeoutMs &&
    inner.maxOutputBytes <= outer.maxOutputBytes &&
    (inner.isolation === 'required' || outer.isolation === 'none')
  );
}

/** The ceiling of one profile; a profile may be called `constructor`. */
function ceilingOf(steps: Steps, profile: string): string | undefined {
  return Object.hasOwn(steps, profile) ? steps[profile] : undefined;
}

/**
 * One step down from `profile`: the lower of what the node and the subject say; undefined where neither says anything.
 * Load has refused two of which neither is within the other; meeting them anyway, the node's stands.
 */
function lowerCeiling(profiles: Profiles, node: Steps, own: Steps, profile: string): string | undefined {
  const fromNode = ceilingOf(node, profile);
  const fromOwn = ceilingOf(own, profile);
  if (fromNode === undefined || fromOwn === undefined) return fromNode ?? fromOwn;
  const a = profiles.get(fromNode);
  const b = profiles.get(fromOwn);
  return a && b && profileWithin(b, a) ? fromOwn : fromNode;
}

/** The profiles from `profile` down, itself first; ends where no ceiling applies, or at the first one met twice. */
export function descend(profiles: Profiles, node: Steps, own: Steps, profile: string): readonly string[] {
  const path = new Set([profile]);
  for (let at: string | undefined = profile; ; ) {
    at = lowerCeiling(profiles, node, own, at);
    if (at === undefined || path.has(at)) return [...path];
    path.add(at);
  }
}

/** Rules that look at one table of ceilings: profiles defined, the ceiling within what it caps. Returns what holds. */
export function buildCeilings(written: Ceilings | undefined, profiles: Profiles, report: Report): Steps {
  const steps: Record<string, string> = {};
  for (const [capped, { path, value: target }] of written ?? []) {
    const outer = profiles.get(capped);
    const inner = profiles.get(target.value);
    if (!outer) report('UNKNOWN_PROFILE', path, `no profile ${quote(capped)}${didYouMean(capped, profiles)}`);
    if (!inner) {
      report('CEILING_UNDEFINED', path, `no profile ${quote(target.value)}${didYouMean(target.value, profiles)}`);
    }
    if (!outer || !inner) continue;
    steps[capped] = target.value;
    const why = whyNotWithin(inner, outer);
    if (why === undefined) continue;
    const code = inner.rank > outer.rank ? 'CEILING_OUTRANKS' : 'CEILING_WIDENS';
    const message = `${quote(target.value)} is no cap for ${quote(capped)}: ${why}; name a profile within it`;
    report(code, path, message);
  }
  return steps;
}

/** Names that are compared with one that is not known; a hint is not worth more. */
const MOST_CANDIDATES = 200;

/** `, write X` for the nearest defined name, or the list of them where there are few. */
export function didYouMean(written: string, known: ReadonlyMap<string, unknown>): string {
  const all = [...known.keys()];
  const near = nearest(written, all.slice(0, MOST_CANDIDATES));
  if (near) return `, write ${quote(near)}`;
  return all.length > 0 && all.length <= 12 ? `, defined are ${all.map(quote).join(', ')}` : ', define it first';
}

/** Key path of a ceiling, as written. */
function keyOf(written: Ceilings | undefined, capped: string): string {
  return written?.get(capped)?.path ?? '';
}

/** A circle of the node's own ceilings, each reported once, at one of its keys. */
export function checkNodeCircles(written: Ceilings | undefined, node: Steps, report: Report): ReadonlySet<string> {
  const settled = new Set<string>();
  const circling = new Set<string>();
  for (const start of Object.keys(node)) {
    const path = new Set<string>();
    let at: string | undefined = start;
    while (at !== undefined && !settled.has(at) && !path.has(at)) {
      path.add(at);
      at = ceilingOf(node, at);
    }
    if (at !== undefined && path.has(at)) {
      const all = [...path];
      const circle = all.slice(all.indexOf(at));
      for (const member of circle) circling.add(member);
      report('CEILING_CYCLE', keyOf(written, at), circleMessage(circle));
    }
    for (const member of path) settled.add(member);
  }
  return circling;
}

/** What the ceilings of one subject may not do together with the node's: make a circle, or leave no lower one. */
export function checkSubjectCeilings(
  written: Ceilings | undefined,
  own: Steps,
  node: Steps,
  nodeCircles: ReadonlySet<string>,
  profiles: Profiles,
  report: Report,
): void {
  for (const [capped, target] of Object.entries(own)) {
    const other = ceilingOf(node, capped);
    const a = profiles.get(target);
    const b = other === undefined ? undefined : profiles.get(other);
    if (a && b && !profileWithin(a, b) && !profileWithin(b, a)) {
      const message = `neither ${quote(target)} here nor ${quote(b.name)} in the node's ceilings is within the other`;
      report('CEILING_WIDENS', keyOf(written, capped), `${message}; name a profile within both`);
    }
  }
  const circle = findUnionCircle(own, node, nodeCircles);
  if (circle) report('CEILING_CYCLE', keyOf(written, circle[0] ?? ''), circleMessage(circle));
}

/** A circle over both tables that goes through one of `own`, beginning with a key of `own`. */
function findUnionCircle(own: Steps, node: Steps, known: ReadonlySet<string>): readonly string[] | undefined {
  const done = new Set<string>();
  for (const start of Object.keys(own)) {
    const circle = findCircle(start, own, node, done);
    const first = circle?.findIndex((member) => Object.hasOwn(own, member) && !known.has(member)) ?? -1;
    if (circle && first >= 0) return [...circle.slice(first), ...circle.slice(0, first)];
  }
  return undefined;
}

/** The first circle that is met from `start` down; what leads to none is added to `done`. No recursion: it may be long. */
function findCircle(start: string, own: Steps, node: Steps, done: Set<string>): readonly string[] | undefined {
  const way = new Set<string>();
  const stack: { readonly at: string; readonly left: string[] }[] = [];
  for (let next: string | undefined = start; ; ) {
    if (next !== undefined && way.has(next)) return [...way].slice([...way].indexOf(next));
    if (next !== undefined && !done.has(next)) {
      way.add(next);
      const left = [ceilingOf(node, next), ceilingOf(own, next)].filter((one) => one !== undefined);
      stack.push({ at: next, left });
    }
    const top = stack.at(-1);
    if (!top) return undefined;
    next = top.left.pop();
    if (next !== undefined) continue;
    stack.pop();
    way.delete(top.at);
    done.add(top.at);
  }
}

/** Most profiles of a circle that are named. */
const SHOWN = 16;

function circleMessage(circle: readonly string[]): string {
  const shown = [...circle.slice(0, SHOWN), ...(circle.length > SHOWN ? [`… ${circle.length - SHOWN} more`] : [])];
  return `ceilings go in a circle: ${[...shown, circle[0] ?? ''].join(' → ')}; take one of them out`;
}
