#!/usr/bin/env node
// What is called again and again has a file with nothing else in it; see main-delegate.ts.
const words = process.argv.slice(2);
const called = words.find((word, at) => !word.startsWith('-') && words[at - 1] !== '--home');
await (called === 'delegate' || called === 'run' ? import('../dist/delegate.js') : import('../dist/writ.js'));
