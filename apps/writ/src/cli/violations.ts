import { visible } from '@writ/core';

interface Shown {
  readonly code: string;
  readonly path: string;
  readonly message: string;
  readonly line?: number | undefined;
  readonly column?: number | undefined;
}

/** One line a violation: where, which code, what to write instead. */
export function violationLines(violations: readonly Shown[], file = 'writ.toml'): string {
  return violations
    .map(
      (v) =>
        `${file}${v.line === undefined ? '' : `:${v.line}:${v.column ?? 1}`}  ${v.code}  ${v.path === '' ? '' : `${visible(v.path)}: `}${visible(v.message)}`,
    )
    .join('\n');
}
