// Keeps what V8 compiles of a file while that does what it does most.
const { spawnSync } = require('node:child_process');
const { existsSync, writeFileSync } = require('node:fs');
const { keptPath, runScript } = require('./bin/kept-script.js');

/** How long the call may take, milliseconds. */
const CALL_MS = 60_000;

/**
 * Runs `file` with these arguments as `writ` does, in a process without environment: where this is called from a task,
 * the call must not reach its node. Throws where nothing is kept at the end.
 */
function keepCompiled(file, args) {
  const { error, signal } = spawnSync(process.execPath, [__filename, file, ...args], {
    ...{ env: {}, stdio: 'ignore', timeout: CALL_MS, killSignal: 'SIGKILL' },
  });
  if (existsSync(keptPath(file))) return;
  throw new Error(`nothing was kept of what is compiled of ${file}${signal ? `: ${signal}` : ''}`, { cause: error });
}

function runKeeping() {
  const [file] = process.argv.splice(2, 1);
  const script = runScript(file);
  process.once('exit', () => writeFileSync(keptPath(file), script.createCachedData()));
}

if (require.main === module) runKeeping();
module.exports = { keepCompiled };
