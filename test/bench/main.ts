/** `npm run bench [-- [delegate|policy|workspaces|output|cli|gateway] --rounds N]`: the speed goals as ratios, both sides of each in turn in this one run. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { arch, cpus, platform, release, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { benchCommandLine } from './command-line.ts';
import { delegateSubject } from './delegate-subject.ts';
import { serveEcho } from './echo-server.ts';
import { floorSubjects } from './floor-subjects.ts';
import { benchGateway } from './gateway.ts';
import { interleave } from './interleave.ts';
import { setUp, tearDown } from './measure.ts';
import { benchOutput } from './output.ts';
import { benchPolicy } from './policy.ts';
import { goal1, reportLines } from './report.ts';
import { sshSubjects } from './ssh-world.ts';
import { summarize } from './statistics.ts';
import { serveFloor } from './unary-server.ts';
import { benchWorkspaces } from './workspaces.ts';

const SERVE_FLOOR = '--serve-floor';
const SERVE_ECHO = '--serve-echo';
const WARM_UP_ROUNDS = 20;
/** As `npm run build` makes it. */
const SPAWNER = 'apps/writ/dist/spawner.js';

async function bench(rounds: number, jsonFile: string): Promise<boolean> {
  const folder = mkdtempSync(join(tmpdir(), 'writ-b-'));
  const below = (name: string): string => {
    mkdirSync(join(folder, name), { mode: 0o700 });
    return join(folder, name);
  };
  const { warm, cold } = sshSubjects(below('ssh'));
  const { floor, unary } = floorSubjects(below('floor'), process.execPath, [process.argv[1] ?? '', SERVE_FLOOR]);
  const subjects = [delegateSubject(below('mesh')), floor, unary, warm, cold];
  try {
    const { ready, failures } = await setUp(subjects);
    const samples = await interleave(ready, { rounds, warmUp: WARM_UP_ROUNDS });
    const summaries = new Map([...samples].map(([name, values]) => [name, summarize(values)]));
    const ratios = goal1(summaries);
    console.log(`goal 1: a delegated \`true\`, one hop, warm; ${rounds} rounds, all subjects in turn\n`);
    for (const line of [...reportLines(ready, summaries, ratios), ...failures]) console.log(line);
    const report = {
      goal: 1,
      rounds,
      machine: machineFacts(),
      subjects: Object.fromEntries(summaries),
      ratios,
      failures,
    };
    writeReport(jsonFile, report);
    return failures.length === 0;
  } finally {
    await tearDown(subjects);
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The machine that the figures are of. */
function machineFacts(): object {
  return {
    cpus: cpus().length,
    cpu: cpus()[0]?.model,
    node: process.version,
    system: `${platform()} ${release()} ${arch()}`,
  };
}

function writeReport(jsonFile: string, report: object): void {
  mkdirSync(resolve(jsonFile, '..'), { recursive: true });
  writeFileSync(jsonFile, `${JSON.stringify(report, null, 2)}\n`);
  console.log(`\nwritten: ${jsonFile}`);
}

interface Part {
  readonly title: string;
  readonly bench: (
    rounds: number,
    folder: string,
    floodMib: number,
  ) => Promise<{ readonly lines: readonly string[]; readonly report: object }>;
}

/** Goals that need no ssh and no whole mesh beside them. */
const PARTS: Readonly<Record<string, Part>> = {
  policy: { title: 'goal 4: one decision of the policy', bench: benchPolicy },
  workspaces: {
    title: 'goal 8: a workspace of 10,000 files',
    bench: (rounds, folder) => benchWorkspaces(rounds, folder, SPAWNER),
  },
  output: {
    title: 'goal 7: output that is kept, and starts by a large node',
    bench: (rounds, folder, floodMib) => benchOutput({ rounds, floodMib }, { folder, spawner: SPAWNER }),
  },
  cli: { title: 'goal 3: a delegated `true` from the shell', bench: benchCommandLine },
  gateway: {
    title: 'goal 10: a tool call that needs no peer, current revision of the protocol',
    bench: (rounds) => benchGateway(rounds, [process.argv[1] ?? '', SERVE_ECHO]),
  },
};

async function main(): Promise<void> {
  const [, , served, what = '.'] = process.argv;
  if (served === SERVE_FLOOR) return serveFloor(what);
  if (served === SERVE_ECHO) return serveEcho(what);
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      rounds: { type: 'string', default: '200' },
      /** Of the flood of output whose memory is looked at. */
      mib: { type: 'string', default: '10240' },
      json: { type: 'string', default: 'reports/bench.json' },
    },
  });
  const [rounds, floodMib] = [Number(values.rounds), Number(values.mib)];
  if (![rounds, floodMib].every((count) => Number.isInteger(count) && count >= 1)) {
    console.error('--rounds and --mib want a whole number, 1 or more');
    process.exitCode = 2;
    return;
  }
  const part = PARTS[positionals[0] ?? ''];
  if (part !== undefined) {
    const folder = mkdtempSync(join(tmpdir(), 'writ-b-'));
    try {
      const { lines, report } = await part.bench(rounds, folder, floodMib);
      console.log(`${part.title}; ${rounds} rounds, all subjects in turn\n\n${lines.join('\n')}`);
      writeReport(values.json, { ...report, machine: machineFacts() });
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
    return;
  }
  process.exitCode = (await bench(rounds, values.json)) ? 0 : 1;
}

await main();
