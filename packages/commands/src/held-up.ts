/** Of how many commands it is kept what holds them up. */
const MOST = 1024;

/** What keeps commands from being started, in words. */
export interface HeldUp {
  /** `why`: undefined where nothing does any more. */
  note(id: string, why: string | undefined): void;
  of(id: string): string | undefined;
}

/** `onChanged`: other words than before. Nothing at first. Words about what is over by now go in time; of what still waits they are said again at its next try. */
export function createHeldUp(onChanged: (id: string) => void): HeldUp {
  const words = new Map<string, string>();
  return {
    note(id, why) {
      if (words.get(id) === why) return;
      if (words.size >= MOST) words.clear();
      if (why === undefined) words.delete(id);
      else words.set(id, why);
      onChanged(id);
    },
    of: (id) => words.get(id),
  };
}
