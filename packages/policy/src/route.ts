import { descend } from './ceilings.ts';
import { joinPath } from './key-path.ts';
import type { IndexedSubject, PolicyIndex, Route } from './policy-index.ts';
import type { Profile } from './types.ts';

/** The route of a subject for a profile. Throws where a ceiling names what is not defined: loading refuses that. */
export function routeOf({ config }: PolicyIndex, subject: IndexedSubject, requested: Profile): Route {
  const known = subject.routes.get(requested);
  if (known) return known;
  const path = descend(config.profiles, config.ceilings, subject.rules.ceilings, requested.name);
  const effective = config.profiles.get(path.at(-1) ?? '');
  if (!effective) throw new TypeError('a ceiling names a profile that is not defined');
  const leasePath = joinPath(joinPath('profiles', effective.name), 'require_lease');
  const route: Route = { path, effective, leasePath, lines: [] };
  subject.routes.set(requested, route);
  return route;
}
