import { WritError } from '@writ/core';

/** Longest header, bytes. */
const LONGEST_HEADER = 64 * 1024;

/** What a bundle says about itself; nothing about it is proved yet. */
export interface BundleHeader {
  readonly objectFormat: 'sha1' | 'sha256';
  /** Commits that the receiver has to have. */
  readonly prerequisites: readonly string[];
  readonly refs: readonly { readonly id: string; readonly name: string }[];
  /** Where the pack begins, bytes. */
  readonly packAt: number;
}

/** Reads the header of a bundle (versions 2 and 3 of git's format). Throws EVIDENCE_INVALID. */
export function readBundleHeader(bundle: Buffer): BundleHeader {
  const end = bundle.subarray(0, LONGEST_HEADER).indexOf('\n\n');
  const lines = end === -1 ? [] : bundle.subarray(0, end).toString('latin1').split('\n');
  const version = /^# v([23]) git bundle$/.exec(lines.shift() ?? '')?.[1];
  if (version === undefined) throw refuse('it does not begin like one');
  let objectFormat: BundleHeader['objectFormat'] = 'sha1';
  if (version === '3') {
    while (lines[0]?.startsWith('@')) {
      const capability = lines.shift() ?? '';
      // Others would leave objects out.
      if (!/^@object-format=sha(1|256)$/.test(capability)) throw refuse('it asks for what is not supported');
      objectFormat = capability.endsWith('256') ? 'sha256' : 'sha1';
    }
  }
  const digits = objectFormat === 'sha256' ? 64 : 40;
  const prerequisites: string[] = [];
  const refs: { id: string; name: string }[] = [];
  for (const line of lines) {
    const match = new RegExp(`^(-?)([0-9a-f]{${digits}})(?: (.*))?$`).exec(line);
    if (match === null) throw refuse('its header cannot be read');
    const [, minus, id = '', name = ''] = match;
    if (minus === '-') prerequisites.push(id);
    else refs.push({ id, name });
  }
  return { objectFormat, prerequisites, refs, packAt: end + 2 };
}

function refuse(why: string): WritError {
  return new WritError('EVIDENCE_INVALID', `the bundle is refused: ${why}`, { details: { check: 'bundle' } });
}
