/**
 * Runs where the machine's list of names can be read by nobody: has a name looked up, and ends as a node does. Arguments: a
 * folder, and whether it ends as a node's process.
 */
import { execFileSync } from 'node:child_process';
import { lookup } from 'node:dns';
import { writeSync } from 'node:fs';
import { join } from 'node:path';
import { createSystemClock } from '@writ/core';
import { endProcess } from '../node/end-process.ts';

const [folder = '', how] = process.argv.slice(2);
const nobody = join(folder, 'nobody');
execFileSync('mkfifo', [nobody]);
// Whoever opens a named pipe waits for its writer.
execFileSync('mount', ['--bind', nobody, '/etc/hosts']);
if (how !== 'nothing') lookup('silent.example', () => {});
process.once('SIGTERM', () => writeSync(1, 'told'));
if (how !== 'waits') endProcess(createSystemClock(), () => writeSync(1, 'written'));
