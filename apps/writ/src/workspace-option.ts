import { resolve } from 'node:path';
import { foldName, quote, WritError } from '@writ/core';

/**
 * `app=~/src/app` → a workspace. A relative path starts where the command was typed; `~` stays, for the node resolves
 * it. Throws BAD_REQUEST.
 */
export function workspaceOption(text: string): { name: string; path: string } {
  const at = text.indexOf('=');
  const name = at < 0 ? undefined : foldName(text.slice(0, at));
  if (name === undefined || at === text.length - 1) {
    throw new WritError('BAD_REQUEST', `${quote(text)} is no workspace`, {
      nextSteps: ['write it like --workspace app=~/src/app'],
    });
  }
  const path = text.slice(at + 1);
  return { name, path: path === '~' || path.startsWith('~/') ? path : resolve(path) };
}
