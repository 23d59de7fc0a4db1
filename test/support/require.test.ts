import { describe, expect, it } from 'vitest';
import { describeWith, findTool, gateOf } from './require.ts';

describe('findTool', () => {
  it('finds a tool that every machine with this repository has', () => {
    expect(findTool('git')).toMatch(/^\/.*\/git$/);
  });
});

describe('gateOf', () => {
  it('runs a suite whose tools are there', () => {
    expect(gateOf('over ssh', [], true)).toEqual({ kind: 'run', name: 'over ssh' });
  });

  it('skips a suite with its name saying what is missing and how to get it', () => {
    const gate = gateOf('over ssh', ['sshd'], false);
    expect(gate).toEqual({ kind: 'skip', name: 'over ssh [skipped, missing: sshd (apt-get install openssh-server)]' });
  });

  it('fails a suite that lacks a tool where skipping is forbidden', () => {
    const gate = gateOf('over ssh', ['ssh', 'sshd'], true);
    expect(gate).toMatchObject({ kind: 'fail', how: expect.stringContaining('openssh-client') });
    expect(gate).toMatchObject({ kind: 'fail', how: expect.stringContaining('openssh-server') });
  });
});

describeWith(['git'], 'a suite whose tools are there', () => {
  it('runs', () => {
    expect(findTool('git')).toBeDefined();
  });
});
