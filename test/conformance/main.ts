/**
 * `npm run conformance`: the public conformance suite of MCP, and every tool that only reads called by the public inspector
 * over both transports in both eras, against a real node. Both are installed on demand into the user's cache folder (280 MB
 * with a Node.js for them, where the one that runs is older than 22.19); where that cannot be done it is said and skipped,
 * and with WRIT_TEST_REQUIRE=all it fails.
 */
import { callReadOnlyTools } from './inspector.ts';
import { installTools, type Tools } from './installed-tools.ts';
import { runSuite } from './suite.ts';
import { startWorld } from './world.ts';

async function toolsIfThere(): Promise<Tools | undefined> {
  try {
    return await installTools(process.env);
  } catch (error) {
    const isRequired = process.env.WRIT_TEST_REQUIRE === 'all';
    console.log(`${isRequired ? 'FAILED' : 'skipped'}: the suite and the inspector cannot be installed here`);
    console.log(
      `${(error as Error).message}\nrun it where npm reaches a registry; WRIT_TEST_REQUIRE=all makes this a failure`,
    );
    if (isRequired) process.exitCode = 1;
    return undefined;
  }
}

async function main(): Promise<void> {
  const tools = await toolsIfThere();
  if (tools === undefined) return;
  const tell = (line: string): void => console.log(line);
  const world = await startWorld();
  try {
    const outcomes = [await runSuite(tools, world, tell), await callReadOnlyTools(tools, world, tell)];
    if (outcomes.includes(false)) process.exitCode = 1;
  } finally {
    await world.mesh.close();
  }
}

await main();
