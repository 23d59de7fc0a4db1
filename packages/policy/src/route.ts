import { descend } from './ceilings.ts';
import type { IndexedSubject, PolicyIndex } from './policy-index.ts';
import type { Profile, TraceStep } from './types.ts';

/**
 * Where a profile that a subject asks for leads, under one policy. It depends on nothing else, so that it is looked for
 * once, and so are the lines of a trace that speak of nothing else.
 */
export interface Route {
  /** Names from the profile asked for down to the effective one. */
  readonly path: readonly string[];
  readonly effective: Profile;
  /** For each step of the decision the lines that were made already, by their variant. */
  readonly lines: Map<string, TraceStep>[];
}

/** The route of a subject for a profile. Throws where a ceiling names what is not defined: loading refuses that. */
export function routeOf({ config }: PolicyIndex, subject: IndexedSubject, requested: Profile): Route {
  const known = subject.routes.get(requested);
  if (known) return known;
  const path = descend(config.profiles, config.ceilings, subject.rules.ceilings, requested.name);
  const effective = config.profiles.get(path.at(-1) ?? '');
  if (!effective) throw new TypeError('a ceiling names a profile that is not defined');
  const route: Route = { path, effective, lines: [] };
  subject.routes.set(requested, route);
  return route;
}
