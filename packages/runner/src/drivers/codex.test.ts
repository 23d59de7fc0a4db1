import { expect, it } from 'vitest';
import { codexDriver } from './codex.ts';

const SPEC = {
  runner: { name: 'codex', kind: 'codex', argv: [] },
  input: { kind: 'prompt', prompt: 'x' },
  commands: [],
} as const;

it.each([
  ['none', ['read_repo'], 'read-only'],
  ['none', ['edit_repo'], 'workspace-write'],
  ['required', ['read_repo'], 'danger-full-access'],
  ['required', ['edit_repo'], 'danger-full-access'],
] as const)(
  'with isolation %s and %j its own sandbox is %s: it can make none in another one',
  (isolation, rights, own) => {
    const { argv } = codexDriver.launch({ ...SPEC, rights, isolation }, '/w');
    expect(argv[argv.indexOf('--sandbox') + 1]).toBe(own);
  },
);
