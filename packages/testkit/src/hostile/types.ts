import type { HostileGround } from './ground.ts';

/** One way in which a repository tries to reach out of itself, or to hide something. */
export interface HostileRepository {
  readonly name: string;
  /** Makes a repository so; synchronous, without side effects outside of it and of the programs' folder. */
  plant(ground: HostileGround): void;
  /** A script of plain calls of git, in the repository, in which every program runs that was planted, but for `unproved`. */
  readonly tempt?: string;
  /** Programs that this git does not run, or not without a terminal; others may. */
  readonly unproved?: readonly string[];
}
