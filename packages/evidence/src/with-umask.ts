import type { GitPort, GitWork } from './types.ts';

/** The same work, with another umask of git (0 to 0o777; undefined: as it was): what it makes is for whom its owner says. */
export function withUmask<W extends Pick<GitWork, 'git' | 'openRoom'>>(work: W, umask: number | undefined): W {
  if (umask === undefined) return work;
  const masked =
    (git: GitPort): GitPort =>
    (call) =>
      git({ ...call, umask });
  const { git, openRoom } = work;
  return {
    ...work,
    git: masked(git),
    openRoom:
      openRoom &&
      (async (shown) => {
        const room = await openRoom(shown);
        return room && { git: masked(room.git), close: () => room.close() };
      }),
  };
}
