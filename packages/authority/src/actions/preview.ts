import { formatSize } from '@writ/core';
import { askerLines, type Preview, type PreviewLine, type ShownAsker, showLines } from '../approvals/showing.ts';
import { type ScopedCommand, scopeLines } from '../executions/scopes.ts';
import type { Action, BoundFile, BoundVariable } from './types.ts';

/** What a preview says of a command besides the command. */
export interface ShownCommand extends Pick<ScopedCommand, 'class' | 'known'> {
  /** Name of the workspace that it was asked for; absent: none. */
  readonly workspace?: string;
  /** Files of the folder decide what else runs. */
  readonly obeysFolder: boolean;
  /** Why it runs or reads files that no digest binds; empty: as far as is known there are none. */
  readonly unbound: readonly string[];
  /** What a rule knows of it. `known` says more: that a window may cover it. */
  readonly recognised: 'command' | 'program' | 'nothing';
  /** Scripts that run from a copy, absolute. */
  readonly copied: readonly string[];
}

/**
 * Everything that would run, for the person who approves it. Standard input is text or cannot be shown, and what cannot be
 * shown whole cannot be approved.
 */
export function previewAction(action: Action, asker: ShownAsker, command: ShownCommand): Preview {
  const lines = actionLines(action, command);
  if (lines === undefined) return UNSHOWABLE;
  const { target } = action.request;
  // Of a step it would not be true: that runs as often as its window allows.
  const single = lines.map((line) =>
    line.label === 'target' && target === undefined ? { ...line, text: `${line.text}: ${ALONE}` } : line,
  );
  return showLines([
    ...askerLines(asker, action.request),
    ...single,
    ...scopeLines({ ...command, ...(target === undefined ? {} : { target }) }, command.workspace),
  ]);
}

const NO_TARGET = 'several, none that is known, or a folder to write into';
const ALONE = 'a yes is for this command alone';

const UNSHOWABLE: Preview = { shown: false, message: 'its standard input is no text, which cannot be shown' };

/** Everything that would run, without who asks and what a yes opens: a step of a plan. Undefined: it cannot be shown. */
export function actionLines(
  { request, directory, programs, files, environment }: Action,
  command: ShownCommand,
): readonly PreviewLine[] | undefined {
  const stdin = request.stdin === undefined ? '' : textOf(Buffer.from(request.stdin, 'base64'));
  if (stdin === undefined) return undefined;
  const { network, target } = request;
  return [
    { label: 'class', text: classText(command) },
    ...request.argv.map((argument, place) => ({ label: `argument ${place}`, text: argument })),
    ...programs.map((file) => ({ label: 'program', text: fileText(file) })),
    ...files.map((file) => ({ label: 'file', text: fileText(file) })),
    { label: 'directory', text: directory.path },
    ...(command.obeysFolder ? [OBEYS] : []),
    ...command.unbound.map((why) => ({ label: 'NOT BOUND', text: `${UNBOUND}: ${why}` })),
    ...command.copied.map((path) => ({ label: 'RUNS AS A COPY', text: `${COPIED}: ${path}` })),
    { label: 'standard input', text: request.stdin === undefined ? 'none' : stdin },
    { label: 'profile', text: request.profile },
    { label: 'runner', text: request.runner },
    { label: 'network', text: typeof network === 'string' ? network : network.join(', ') || 'nothing' },
    { label: 'isolation', text: request.isolation },
    { label: 'target', text: target ?? NO_TARGET },
    ...environment.map((variable) => ({ label: `environment ${variable.name}`, text: variableText(variable) })),
  ];
}

/** What no digest binds, said to whoever answers. */
const OBEYS: PreviewLine = {
  label: 'besides',
  text: 'files of the folder, or of one that an option names (hooks, scripts, settings), decide what else runs, as they are then',
};

/** For each reason that nobody can bind all of it. */
const UNBOUND = 'it runs or reads files that this approval does not bind, as they are then';

/** Of each script: what it would load fails, and is no other file. */
const COPIED = 'it runs from another place, where it finds nothing that lies beside it';

function classText({ class: of, recognised }: ShownCommand): string {
  switch (recognised) {
    case 'command':
      return of;
    case 'program':
      return `${of}, by a command of a known program that no rule knows`;
    case 'nothing':
      return `${of}, by a program that is not known`;
  }
}

function fileText({ path, sha256, sizeBytes }: BoundFile): string {
  return `${path}, ${formatSize(sizeBytes)}, sha256 ${sha256}`;
}

function variableText(variable: BoundVariable): string {
  return 'value' in variable ? variable.value : '(a secret, as it is now)';
}

/** UTF-8 text, or undefined for bytes that are none. */
function textOf(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
