import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { AUDIT_ACTIONS } from '@writ/database';
import { describe, expect, it } from 'vitest';

const VOCABULARY = 'packages/database/src/audit-actions.ts';
const sources = ['packages', 'apps', 'test']
  .flatMap((root) => readdirSync(root, { recursive: true, encoding: 'utf8' }).map((name) => join(root, name)))
  .filter((path) => /[.]ts$/.test(path) && !/[/](node_modules|dist)[/]/.test(path) && path !== VOCABULARY);
const isTest = (path: string): boolean => /[.]test[.]ts$|[/]testing[/]|^test[/]|[-]contract[.]ts$/.test(path);
const textOf = (paths: readonly string[]): string => paths.map((path) => readFileSync(path, 'utf8')).join('\n');
const tests = textOf(sources.filter(isTest));
const program = textOf(sources.filter((path) => !isTest(path)));

/** Rows that no test names, and why that is enough. */
const UNNAMED: Readonly<Record<string, string>> = {};

const actions = Object.entries(AUDIT_ACTIONS).flatMap(([kind, of]) =>
  Object.keys(of).map((action) => ({ kind, action })),
);

describe('the vocabulary of the audit trail', () => {
  it('is written by the program, every word of it', () => {
    // Words that end with a state are written as `task.${state}`.
    const isWritten = (action: string): boolean =>
      program.includes(`'${action}'`) || program.includes(`\`${action.slice(0, action.indexOf('.'))}.\${`);
    expect(actions.filter(({ action }) => !isWritten(action))).toEqual([]);
  });

  it('is reached by tests, every word of it, or stands in the list above', () => {
    const isNamed = (action: string): boolean => tests.includes(`'${action}'`) || tests.includes(action);
    expect(actions.map(({ action }) => action).filter((action) => !isNamed(action))).toEqual(Object.keys(UNNAMED));
  });

  it('has each word once, under one kind', () => {
    const words = actions.map(({ action }) => action);
    expect(words.length).toBe(new Set(words).size);
  });
});
