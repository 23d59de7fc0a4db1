import { bareSpec, createBareRunner } from './bare-runner.ts';

/** A node that is only a task runner, for tests that kill it: starts `argv` and prints what that writes. */
const [folder = '', script = '', nonce = '', isolation = '', ...argv] = process.argv.slice(2);
<<<<<<< HEAD
const runner = createTaskRunner({
  root: {
    workspaces: `${folder}/workspaces`,
    transcripts: `${folder}/transcripts`,
    outputs: `${folder}/outputs`,
    sockets: `${folder}/n`,
    secrets: `${folder}/secrets`,
  },
  spawner: { node: process.execPath, script },
  programs: [],
  resolvePath: (path) => path,
  hidden: [folder],
  env: { PATH: '/usr/local/bin:/usr/bin:/bin' },
  clock: createSystemClock(),
  random: createSystemRandom(),
  logger: silentLogger,
  storage: { rules: () => ({ failedMs: 86_400_000, orphanedMs: 86_400_000, budgetBytes: 1024 ** 3 }), ready: () => 0 },
  transcriptCapBytes: 1024,
});
const spec: RunSpec = {
  task: 'task',
  epoch: 1,
  nonce,
  runner: { name: 'shell', kind: 'shell', argv: [] },
  input: { kind: 'argv', argv },
  timeoutMs: 600_000,
  maxOutputBytes: 1024,
  onOverflow: 'fail',
  isolation: isolation === 'required' ? 'required' : 'none',
  reach: { workspace: 'write', scratch: false, readPaths: [], network: 'deny', secrets: [] },
  env: [],
  commands: 'allow',
  rights: [],
};
=======
const runner = createBareRunner(folder, script);
const spec = bareSpec(nonce, isolation === 'required' ? 'required' : 'none', argv);
>>>>>>> main
const prepared = await runner.prepare(spec, new AbortController().signal);
await prepared.start(spec, { output: (_stream, bytes) => process.stdout.write(bytes) });
