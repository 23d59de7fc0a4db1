export { collectEvidence } from './collect.ts';
export { createContentStore } from './content-store.ts';
export { createGitProcess } from './git-process.ts';
export type * from './types.ts';
