// A CommonJS file that starts from what V8 compiled of it when it was built.
const { readFileSync } = require('node:fs');
const { createRequire } = require('node:module');
const { dirname } = require('node:path');
const { Script } = require('node:vm');

/** Where that is kept: for this Node.js alone, so that another one finds nothing, and compiles as ever. */
const keptPath = (file) => `${file}.${process.version}-${process.arch}.compiled`;

/**
 * Without what is kept where there is none; V8 refuses what is none of its own. It knows another text by its length
 * alone: what is kept has to be made, and put in place, together with the file.
 */
function loadScript(file) {
  const text = `(function (require, __filename, __dirname, module, exports) {${readFileSync(file, 'utf8')}\n})`;
  let cachedData;
  try {
    cachedData = readFileSync(keptPath(file));
  } catch {}
  return new Script(text, { filename: file, cachedData });
}

/** Runs it as `require` would; returns the script. */
function runScript(file) {
  const script = loadScript(file);
  const module = { exports: {} };
  script.runInThisContext()(createRequire(file), file, dirname(file), module, module.exports);
  return script;
}

module.exports = { keptPath, loadScript, runScript };
