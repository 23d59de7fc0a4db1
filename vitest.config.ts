import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['packages/*/src/**/*.test.ts', 'apps/*/src/**/*.test.ts', 'test/**/*.test.ts'],
    exclude: ['**/node_modules/**', '**/dist/**'],
    allowOnly: false,
    testTimeout: 60_000,
    hookTimeout: 60_000,
    expect: { poll: { timeout: 60_000 } },
    maxWorkers: 2,
    // Nodes of tests lay nothing into the folder that the system has for whoever runs them.
    env: { XDG_RUNTIME_DIR: '/nowhere' },
    // No module keeps state (AGENTS.md), so that test files of one worker share what is loaded; loading it anew for
    // each file took half of the time.
    isolate: false,
    // The JSON report is what .ci/run counts from.
    reporters: ['default', 'json'],
    outputFile: { json: 'reports/vitest.json' },
  },
});
