import type { HostileGround } from './ground.ts';

/** One way in which a repository tries to reach out of itself, or to hide something. */
export interface HostileRepository {
  readonly name: string;
  /** Makes a repository so; synchronous, without side effects outside of it and of the programs' folder. */
  plant(ground: HostileGround): void;
}
