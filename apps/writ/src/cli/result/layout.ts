import { join } from 'node:path';

/** Where the parts of a result lie in a folder; no name that a task gave is ever part of a path. */
export const LAYOUT = {
  envelope: 'result.dsse.json',
  result: 'result.v1.json',
  bundle: 'bundle',
  patch: 'changes.patch',
  artifacts: 'artifacts',
  children: 'children',
} as const;

/** Path of an artifact in such a folder. */
export function artifactPath(sha256: string): string {
  return join(LAYOUT.artifacts, sha256);
}

/** Path of the envelope of a nested result in such a folder. */
export function childPath(sha256: string): string {
  return join(LAYOUT.children, `${sha256}.dsse.json`);
}
