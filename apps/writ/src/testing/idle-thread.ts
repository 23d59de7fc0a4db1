import type { ThreadFiles } from '../node/looking-thread.ts';
import { VERSION } from '../version.ts';

const TEXT = `import { parentPort } from 'node:worker_threads';
parentPort.on('message', () => undefined);
parentPort.postMessage({ ready: '${VERSION}' });
`;

/** A thread that is there and answers nothing, for nodes that are asked for no command. */
export const IDLE_THREAD: { readonly script: URL; readonly files: ThreadFiles } = {
  script: new URL(`data:text/javascript,${encodeURIComponent(TEXT)}`),
  files: { runtime: '/none', grammar: '/none' },
};
