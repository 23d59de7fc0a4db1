import { Worker } from 'node:worker_threads';
import { type Clock, WritError } from '@writ/core';
import {
  type CompileResult,
  type ConfigTestReport,
  compileConfig,
  createUnpack,
  finishInSlices,
  type PackedResult,
  type Sliced,
  testConfig,
} from '@writ/policy';

/** Works through configuration texts without holding up what else the node does. */
export interface NodePolicyCompiler {
  /** As `compileConfig`. Rejects with SHUTTING_DOWN once this is closed, INTERNAL where a thread dies. */
  compile(text: string): Promise<CompileResult>;
  /** As `testConfig`; rejects likewise. */
  test(text: string): Promise<ConfigTestReport>;
  /** Ends what is being worked on. */
  close(): Promise<void>;
}

/** What a thread is started with. */
export interface ThreadQuestion {
  readonly what: 'compile' | 'test';
  readonly text: string;
}

/** Longest text, characters, that is worked through in place: a few milliseconds, less than a thread takes to start. */
const IN_PLACE = 16 * 1024;

/**
 * `script`: the file of `policy-thread.ts`, built. A large text has a thread for itself, for as long as it takes. `onMachine`: what
 * a text that compiles comes to on this machine.
 */
export function createPolicyCompiler(options: {
  readonly script: URL;
  readonly clock: Pick<Clock, 'monotonicMs'>;
  readonly onMachine?: (compiled: CompileResult) => Sliced<CompileResult>;
}): NodePolicyCompiler {
  const threads = new Set<Worker>();
  const unpack = createUnpack();
  const { onMachine, clock } = options;
  const hereOf = async (compiled: CompileResult): Promise<CompileResult> =>
    onMachine === undefined ? compiled : finishInSlices(onMachine(compiled), clock);
  let isClosed = false;

  const ask = async (question: ThreadQuestion): Promise<unknown> => {
    const thread = new Worker(options.script, { workerData: question, execArgv: [], env: {} });
    threads.add(thread);
    thread.once('exit', () => threads.delete(thread));
    try {
      return await answerOf(thread);
    } catch (cause) {
      throw isClosed ? shuttingDown() : failed(cause);
    }
  };

  const begin = (): void => {
    if (isClosed) throw shuttingDown();
  };

  return {
    async compile(text) {
      begin();
      if (text.length <= IN_PLACE) return hereOf(compileConfig(text));
      const packed = (await ask({ what: 'compile', text })) as PackedResult;
      return hereOf(await finishInSlices(unpack(packed, text), clock));
    },
    async test(text) {
      begin();
      if (text.length <= IN_PLACE) return testConfig(text);
      return (await ask({ what: 'test', text })) as ConfigTestReport;
    },
    async close() {
      isClosed = true;
      await Promise.all([...threads].map((thread) => thread.terminate()));
    },
  };
}

function answerOf(thread: Worker): Promise<unknown> {
  return new Promise((resolve, reject) => {
    thread.once('message', resolve);
    thread.once('error', reject);
    thread.once('exit', (code) => reject(new Error(`the thread ended with ${code}`)));
  });
}

function shuttingDown(): WritError {
  return new WritError('SHUTTING_DOWN', 'this node is shutting down');
}

function failed(cause: unknown): WritError {
  return new WritError('INTERNAL', `the configuration could not be compiled: ${(cause as Error).message}`, { cause });
}
