#!/usr/bin/env node
// CommonJS, unlike the rest: what is called again and again starts without the loader of ES modules, and has a file with
// nothing else in it; see main-delegate.ts.
const { join } = require('node:path');
const { runScript } = require('./kept-script.js');

const words = process.argv.slice(2);
const called = words.find((word, at) => !word.startsWith('-') && words[at - 1] !== '--home');
if (called === 'delegate' || called === 'run') runScript(join(__dirname, '../dist/delegate.cjs'));
else void import('../dist/writ.js');
