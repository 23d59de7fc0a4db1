import { readFileSync } from 'node:fs';
import { parentPort, workerData } from 'node:worker_threads';
import { type CommandClassifier, type CommandRule, createCommandClassifier, createShellGrammar } from '@writ/policy';
import { VERSION } from '../version.ts';
import type { CommandQuestion, ThreadFiles, ThreadReady } from './looking-thread.ts';

// Entry of the thread that classifies commands: one question at a time, for as long as the node keeps it.
const { runtime, grammar: language } = workerData as ThreadFiles;
let classifierOf: ((commands: readonly CommandRule[]) => CommandClassifier) | undefined;
let classifier: CommandClassifier | undefined;
// Before anything is waited for: a thread that listens to nobody ends while its grammar is made.
parentPort?.on('message', (message: CommandQuestion | { readonly rules: readonly CommandRule[] }) => {
  if ('rules' in message) classifier = classifierOf?.(message.rules);
  else parentPort?.postMessage(classifier?.classify(message.argv, message.place));
});
const grammar = await createShellGrammar({ runtime: readFileSync(runtime), grammar: readFileSync(language) });
classifierOf = (commands) => createCommandClassifier({ grammar, commands });
classifier = classifierOf([]);
// What the first command needs is there by the time that it comes.
classifier.classify(['bash', '-c', 'git status | grep x'], { host: 'self' });
parentPort?.postMessage({ ready: VERSION } satisfies ThreadReady);
