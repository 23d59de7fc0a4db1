import type { Result } from '@writ/evidence';
import type { EvidenceKit } from '../../evidence-kit.ts';
import type { Wanted } from './download.ts';
import { invalid } from './faults.ts';

/** Content that a result names and that is kept by its digest; each digest once. */
export type Named = Required<Wanted>;

/** Bundle, patch and artifacts, with the most that this node takes of each. */
export function namedIn(result: Result, limits: EvidenceKit['limits']): readonly Named[] {
  const { changes, artifacts } = result;
  const named: Named[] =
    changes.kind === 'changed'
      ? [
          { name: 'bundle', ...changes.bundle, maxBytes: limits.bundle.maxBundleBytes },
          { name: 'diff', ...changes.patch, maxBytes: limits.collect.maxPatchBytes },
        ]
      : [];
  const maxBytes = limits.artifacts.maxArtifactBytes;
  for (const { name, sha256, bytes } of artifacts) named.push({ name: `artifact/${name}`, sha256, bytes, maxBytes });
  return named;
}

/** Throws EVIDENCE_INVALID where a result names more than this node takes; looked at before the first byte is. */
export function checkSizes(result: Result, limits: EvidenceKit['limits']): void {
  for (const { name, bytes, maxBytes } of namedIn(result, limits)) {
    if (bytes > maxBytes) throw invalid(name, `it is larger than ${maxBytes} bytes`);
  }
  const { maxArtifacts, maxTotalBytes } = limits.artifacts;
  if (result.artifacts.length > maxArtifacts) throw invalid('artifacts', `there are more than ${maxArtifacts}`);
  const total = result.artifacts.reduce((sum, { bytes }) => sum + bytes, 0);
  if (total > maxTotalBytes) throw invalid('artifacts', `they are larger than ${maxTotalBytes} bytes together`);
}
