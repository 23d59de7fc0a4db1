import { PLACES } from './places.ts';
import { PROGRAMS } from './programs.ts';
import { TREES } from './trees.ts';
import type { HostileRepository } from './types.ts';

export { createWitness, fingerprint, type HostileGround, ownersState, type Witness } from './ground.ts';
export type { HostileRepository } from './types.ts';

/** Every repository of the corpus. */
export const HOSTILE_REPOSITORIES: readonly HostileRepository[] = [...PROGRAMS, ...PLACES, ...TREES];
