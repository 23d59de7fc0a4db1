import { spawn } from 'node:child_process';
import { ROOT } from './tree.mjs';

/**
 * Runs a program with no standard input and gathers what it says.
 * Resolves with `{ status, output }`; a program that cannot start has status 127 and its error as output.
 */
export function run(command, args, options = {}) {
  return new Promise((resolve) => {
    const child = spawn(command, args, { cwd: ROOT, stdio: ['ignore', 'pipe', 'pipe'], ...options });
    const chunks = [];
    child.stdout.on('data', (chunk) => chunks.push(chunk));
    child.stderr.on('data', (chunk) => chunks.push(chunk));
    child.on('error', (error) => resolve({ status: 127, output: `${error.message}\n` }));
    child.on('close', (code, signal) =>
      resolve({
        status: code ?? 1,
        output: Buffer.concat(chunks).toString('utf8') + (signal ? `ended by ${signal}\n` : ''),
      }),
    );
  });
}

/** Path of a program that npm installed. */
export function bin(name) {
  return `${ROOT}/node_modules/.bin/${name}`;
}

/** Prints the complaints and ends the process: 0 when there are none, otherwise 1. */
export function conclude(what, complaints, summary) {
  for (const complaint of complaints) console.error(complaint);
  if (complaints.length > 0) console.error(`${what}: ${complaints.length} complaint(s)`);
  else console.log(`${what}: ${summary}`);
  process.exitCode = complaints.length > 0 ? 1 : 0;
}
