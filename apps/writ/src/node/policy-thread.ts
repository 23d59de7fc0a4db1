import { parentPort, workerData } from 'node:worker_threads';
import { compileConfig, memoryOf, packResult, testConfig } from '@writ/policy';
import type { ThreadQuestion } from './policy-compiler.ts';

// Entry of the thread that works through one large configuration: one question, one answer, then it ends.
const { what, text } = workerData as ThreadQuestion;
if (what === 'compile') {
  const packed = packResult(compileConfig(text));
  parentPort?.postMessage(packed, memoryOf(packed));
} else {
  parentPort?.postMessage(testConfig(text));
}
