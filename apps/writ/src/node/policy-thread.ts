import { parentPort, workerData } from 'node:worker_threads';
import { compileConfig, packResult, testConfig } from '@writ/policy';
import type { ThreadQuestion } from './policy-compiler.ts';

// Entry of the thread that works through one large configuration: one question, one answer, then it ends.
const { what, text } = workerData as ThreadQuestion;
parentPort?.postMessage(what === 'compile' ? packResult(compileConfig(text)) : testConfig(text));
