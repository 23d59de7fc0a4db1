import { shellWord } from '@writ/core';
import type { Applied } from '@writ/delegation';
import type { OperationOutput } from '../client/types.ts';
import { pathText } from './result-view.ts';
import { countOf } from './verified-view.ts';

type AppliedView = OperationOutput<'apply_result'>;
type Made = Exclude<Applied, { readonly kind: 'nothing' }>;

/** Which task, and in which repository. */
interface Where {
  readonly task: string;
  readonly repository: string;
  /** The task began with a working tree that was sent along. */
  readonly shipped: boolean;
}

/** Most conflicting files that the message itself names. */
const NAMED_FILES = 5;

/** What applying came to, in words, with what to type next. */
export function viewApplied(applied: Applied, where: Where): AppliedView {
  if (applied.kind === 'nothing') {
    const next_steps = [`see what it said: writ task log ${where.task}`];
    return {
      kind: 'nothing',
      message: `there is nothing to apply: ${applied.why}`,
      conflicts: [],
      checked_out: false,
      next_steps,
    };
  }
  const { kind, branch, head, fit, checkedOut } = applied;
  const conflicts = fit.kind === 'conflicts' ? fit.files.map(pathText) : [];
  return {
    kind,
    message: `${whatHappened(applied)}: ${fitText(applied, conflicts)}`,
    branch,
    head,
    fit: fit.kind,
    conflicts,
    checked_out: checkedOut,
    next_steps: nextSteps(applied, where),
  };
}

function whatHappened({ kind, branch, checkedOut }: Made): string {
  const also = checkedOut ? ' and is checked out' : '';
  switch (kind) {
    case 'checked':
      return `nothing was done; ${branch} can be made`;
    case 'applied':
      return `branch ${branch} is made${also}`;
    case 'present':
      return `branch ${branch} was there already${also}`;
  }
}

function fitText({ fit }: Made, conflicts: readonly string[]): string {
  switch (fit.kind) {
    case 'ahead':
      return 'it is ahead of what was checked out, and nothing stands against it';
    case 'merges':
      return `what was checked out has ${countOf(fit.commits, 'commit')} that it lacks; a merge works without help`;
    case 'conflicts': {
      const named = conflicts.slice(0, NAMED_FILES).join(', ');
      const more = conflicts.length > NAMED_FILES ? ` and ${conflicts.length - NAMED_FILES} more` : '';
      return `what was checked out has ${countOf(fit.commits, 'commit')} that it lacks, and a merge conflicts in ${named}${more}`;
    }
    case 'unrelated':
      return 'what was checked out has no commit in common with it';
    case 'no-commit':
      return 'nothing was committed in the repository before';
  }
}

function nextSteps({ kind, fit, branch, checkedOut }: Made, { task, repository, shipped }: Where): string[] {
  const git = `git -C ${shellWord(repository)}`;
  if (kind === 'checked') return [`writ apply ${task} --repo ${shellWord(repository)}`];
  if (checkedOut) return [`${git} log -1 --stat`];
  if (shipped) {
    // What is not committed here is in the branch too: a merge would meet it twice.
    return [
      `onto the working tree as it was sent: writ task result ${task} --patch | ${git} apply`,
      `where nothing there is uncommitted: ${git} switch ${branch}`,
    ];
  }
  switch (fit.kind) {
    case 'ahead':
      return [`${git} merge --ff-only ${branch}`];
    case 'merges':
      return [`${git} merge ${branch}`];
    case 'conflicts':
      return [`${git} merge ${branch}   (then mend the files and: ${git} commit)`, `${git} switch ${branch}`];
    case 'unrelated':
    case 'no-commit':
      return [`${git} switch ${branch}`];
  }
}
