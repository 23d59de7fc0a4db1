/** What it means that addresses are accepted and not in use, for a person. */
export function restartText(keys: readonly string[]): string {
  return `takes a restart: ${keys.join(', ')}; writ down && writ up`;
}
