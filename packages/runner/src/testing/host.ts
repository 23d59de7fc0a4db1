import { bareSpec, createBareRunner } from './bare-runner.ts';

/** A node that is only a task runner, for tests that kill it: starts `argv` and prints what that writes. */
const [folder = '', script = '', nonce = '', isolation = '', ...argv] = process.argv.slice(2);
const runner = createBareRunner(folder, script);
const spec = bareSpec(nonce, isolation === 'required' ? 'required' : 'none', argv);
const prepared = await runner.prepare(spec, new AbortController().signal);
await prepared.start(spec, { output: (_stream, bytes) => process.stdout.write(bytes) });
