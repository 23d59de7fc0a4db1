import { fileURLToPath } from 'node:url';

/** The script that `writ` is, absolute: beside the folder of the bundle that this is part of. */
export function ownScript(): string {
  return fileURLToPath(new URL('../bin/writ.js', import.meta.url));
}
