import { resolve } from 'node:path';
import { quote, WritError } from '@writ/core';
import type { ControlClient, OperationOutput } from '@writ/gateway/client';
import type { Command } from 'commander';
import { type ConfirmOptions, confirm, YES_OPTION } from '../confirm.ts';
import type { CliContext } from '../context.ts';
import { examples } from '../examples.ts';
import { EXIT } from '../exit-codes.ts';
import type { Definitions } from '../program.ts';
import { readContent, writeNew } from '../result/content.ts';
import { artifactTable, resultText } from '../result/result-text.ts';

/** Files and artifacts that are fetched for a command that shows all. */
const ALL = 100_000;
/** Artifacts that one call lists at most. */
const PAGE = 1000;

export function defineResult(task: Command, run: Definitions['run']): void {
  task
    .command('result')
    .description('the signed result of a task: what came of it, and who vouches for it')
    .argument('<task>')
    .option('--patch', 'only the patch, as git apply takes it')
    .option('--out <dir>', 'write everything into a new folder, for `writ verify` anywhere')
    .addHelpText(
      'after',
      examples([
        'writ task result TASK',
        'writ task result TASK --patch | git apply',
        'writ task result TASK --out result',
      ]),
    )
    .action(run(result));
  task
    .command('artifact')
    .description('the artifacts of a task, or one of them on standard output')
    .argument('<task>')
    .argument('[name]', 'name or SHA-256; absent: list them')
    .option('--out <file>', 'into a new file instead')
    .addHelpText('after', examples(['writ task artifact TASK', 'writ task artifact TASK dist/app.tgz --out app.tgz']))
    .action(run(artifact));
  task
    .command('forget')
    .description('end a task whose executor does not come back, as lost')
    .argument('<task>')
    .option(...YES_OPTION)
    .addHelpText('after', examples(['writ task forget TASK', 'writ task forget TASK --yes']))
    .action(run(forget));
}

async function result(
  context: CliContext,
  [task = '']: readonly string[],
  options: { readonly patch?: boolean; readonly out?: string },
): Promise<number> {
  if (options.patch === true && options.out !== undefined) {
    throw new WritError('BAD_REQUEST', 'give either --patch or --out, which writes the patch too');
  }
  const node = context.node();
  const shown = await node.call('result', { task, limit: ALL });
  if (options.patch === true) return printPatch(context, node, shown);
  if (options.out === undefined) {
    context.output.result(shown, resultText);
    return EXIT.ok;
  }
  const { saveResult } = await import('../result/save-result.ts');
  const dir = resolve(options.out);
  const saved = await saveResult({ node, task, sha256: shown.sha256, dir, signal: context.signal });
  context.output.result(saved, ({ files, artifacts }) =>
    [
      ...files.map((file) => `wrote ${quote(`${dir}/${file}`)}`),
      ...artifacts.map(({ name, file }) => `artifact ${quote(name)} is ${file}`),
      `check it anywhere with: writ verify ${dir}`,
    ].join('\n'),
  );
  return EXIT.ok;
}

async function printPatch(
  context: CliContext,
  node: ControlClient,
  { task, changes }: OperationOutput<'result'>,
): Promise<number> {
  if (changes.patch_sha256 === undefined) {
    if (changes.kind === 'uncollected') {
      throw new WritError('EVIDENCE_FAILED', `what task ${quote(task)} changed was not collected: ${changes.step}`, {
        nextSteps: [`writ task result ${task}`],
      });
    }
    throw new WritError('NOT_FOUND', `task ${quote(task)} has no patch: it changed no file`, {
      nextSteps: [`writ task result ${task}`],
    });
  }
  await print(context, { node, task, sha256: changes.patch_sha256 });
  return EXIT.ok;
}

async function artifact(
  context: CliContext,
  [task = '', name]: readonly string[],
  { out }: { readonly out?: string },
): Promise<number> {
  const node = context.node();
  const artifacts = await listAll(node, task);
  if (name === undefined) {
    if (out !== undefined) throw new WritError('BAD_REQUEST', 'say which artifact goes into the file');
    context.output.result({ artifacts }, (answer) =>
      answer.artifacts.length === 0 ? 'no artifacts' : artifactTable(answer.artifacts),
    );
    return EXIT.ok;
  }
  const found = artifacts.find((one) => one.name === name) ?? artifacts.find((one) => one.sha256 === name);
  if (found === undefined) {
    throw new WritError('NOT_FOUND', `task ${quote(task)} has no artifact ${quote(name)}`, {
      nextSteps: [`see what there is: writ task artifact ${task}`],
    });
  }
  if (out === undefined) {
    await print(context, { node, task, sha256: found.sha256 });
    return EXIT.ok;
  }
  const file = resolve(out);
  await writeNew(file, readContent({ node, task, sha256: found.sha256, signal: context.signal }));
  context.output.result({ ...found, file }, (saved) => `wrote ${quote(saved.file)}, ${saved.bytes} bytes`);
  return EXIT.ok;
}

async function listAll(node: ControlClient, task: string): Promise<OperationOutput<'list_artifacts'>['artifacts']> {
  const all: OperationOutput<'list_artifacts'>['artifacts'] = [];
  for (let offset: number | undefined = 0; offset !== undefined; ) {
    const page: OperationOutput<'list_artifacts'> = await node.call('list_artifacts', { task, offset, limit: PAGE });
    all.push(...page.artifacts);
    offset = page.next_offset;
  }
  return all;
}

/** Bytes as they are on standard output, or as lines of JSON. */
async function print(
  { output, signal }: CliContext,
  source: { readonly node: ControlClient; readonly task: string; readonly sha256: string },
): Promise<void> {
  let offset = 0;
  for await (const bytes of readContent({ ...source, signal })) {
    if (output.json) output.item({ offset, data: bytes.toString('base64') }, () => undefined);
    else await output.raw('stdout', bytes);
    offset += bytes.length;
  }
}

async function forget(context: CliContext, [task = '']: readonly string[], options: ConfirmOptions): Promise<number> {
  await confirm(context, options, {
    what: `task ${quote(task)} ends as lost, whatever its executor still does`,
    retype: `writ task forget ${task}`,
  });
  const answer = await context.node().call('task_forget', { task });
  context.output.result(answer, (a) => `task ${a.task} is ${a.state}: ${a.message}`);
  return EXIT.ok;
}
