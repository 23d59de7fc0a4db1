// Runs a file as `writ` does, and keeps what V8 compiled on the way; the build calls it: FILE ARGUMENT...
const { writeFileSync } = require('node:fs');
const { keptPath, runScript } = require('./bin/kept-script.js');

const [file] = process.argv.splice(2, 1);
const script = runScript(file);
process.once('exit', () => writeFileSync(keptPath(file), script.createCachedData()));
