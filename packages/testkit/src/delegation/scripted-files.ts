import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { RunFiles, RunSpec } from '@writ/delegation';

/** Where a scripted run works. */
export interface ScriptedFiles {
  readonly files: RunFiles;
  release(): void;
}

/** The clone of a repository without commits, removed on release; a run without a workspace has no folder at all. */
export function createScriptedFiles(spec: RunSpec): ScriptedFiles {
  if (spec.workspace === undefined) return { files: { dir: '/nonexistent' }, release() {} };
  const dir = realpathSync(mkdtempSync(join(tmpdir(), 'writ-scripted-')));
  return {
    files: { dir, clone: { objectFormat: 'sha1', source: dir } },
    release: () => rmSync(dir, { recursive: true, force: true }),
  };
}
