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
    // The JSON report is what .ci/run counts from.
    reporters: ['default', 'json'],
    outputFile: { json: 'reports/vitest.json' },
  },
});
