import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseNodeId, quote, visible, WritError } from '@writ/core';
import type { OperationOutput } from '@writ/gateway/client';
import type { CliContext } from '../context.ts';
import { examples } from '../examples.ts';
import { EXIT } from '../exit-codes.ts';
import { fromHere } from '../from-here.ts';
import { gitWordsHere } from '../git-words-here.ts';
import type { Definitions } from '../program.ts';

export function defineEvidence({ program, run }: Definitions): void {
  program
    .command('apply')
    .description('make a branch writ/TASK of what a task changed; verifies everything first')
    .argument('<task>')
    .option('--repo <path>', 'your repository; absent: the one that you are in')
    .option('--check', 'only say what would be')
    .option(
      '--checkout',
      'switch the working tree too, where it is clean; not where a file that changes goes through a filter, such as git lfs',
    )
    .addHelpText('after', examples(['writ apply TASK --check']))
    .action(run(apply));
  program
    .command('verify')
    .description('check a signed result: who wrote it, and that it is whole')
    .argument('<what>', 'a task of this node, an envelope, or a folder that `writ task result --out` wrote')
    .option('--signer <node>', 'of a file or folder: the node id that it has to be of; no home is read then')
    .addHelpText(
      'after',
      examples(
        ['writ verify TASK', 'writ verify result', 'writ verify result --signer NODE-ID'],
        'A file and a folder need no running node, only the keys and pins of this home, or the id of the node that signed.',
      ),
    )
    .action(run(verify));
}

interface ApplyOptions {
  readonly repo?: string;
  readonly check?: boolean;
  readonly checkout?: boolean;
}

async function apply(context: CliContext, [task = '']: readonly string[], options: ApplyOptions): Promise<number> {
  if (options.check === true && options.checkout === true) {
    throw new WritError('BAD_REQUEST', 'give either --check, which does nothing, or --checkout', {
      nextSteps: [`writ apply ${task} --check`],
    });
  }
  const { environment } = context;
  const repository = fromHere(environment, options.repo);
  const checkout = options.checkout === true;
  const git = checkout ? gitWordsHere(environment, repository) : undefined;
  const answer = await context.node().call('apply_result', {
    ...{ task, repository, check: options.check === true, checkout },
    shell: { umask: process.umask(), ...(git && { git: [...git] }) },
  });
  context.output.result(answer, (a) =>
    [visible(a.message), ...a.conflicts.map((file) => `  conflict: ${visible(file)}`)].join('\n'),
  );
  for (const step of answer.next_steps) context.output.note(context.output.step(step));
  // A branch was made all the same; a check says that nobody can merge it unaided.
  return answer.kind === 'checked' && needsPerson(answer.fit) ? EXIT.taskFailed : EXIT.ok;
}

function needsPerson(fit: OperationOutput<'apply_result'>['fit']): boolean {
  return fit === 'conflicts' || fit === 'unrelated';
}

async function verify(
  context: CliContext,
  [what = '']: readonly string[],
  { signer }: { readonly signer?: string },
): Promise<number> {
  if (!existsSync(what)) {
    if (signer !== undefined) {
      throw new WritError('BAD_REQUEST', `--signer is about a file or a folder, and there is no ${quote(what)}`, {
        nextSteps: ['writ task result TASK --out DIR', 'leave --signer out for a task of this node'],
      });
    }
    context.output.result(await verifyTask(context, what), verifiedText);
    return EXIT.ok;
  }
  const { verified, unsigned, isOfAnybody } = await verifyFiles(context, what, signer);
  context.output.result(verified, verifiedText);
  if (isOfAnybody) {
    context.output.note(
      'warning: there is no node here that knows who signed; say whose it has to be: --signer NODE-ID, as its owner told you',
    );
  }
  if (unsigned.length === 0) return isOfAnybody ? EXIT.taskFailed : EXIT.ok;
  context.output.note(
    `warning: nobody signed ${unsigned.map(quote).join(', ')}: do not take it for a part of the result`,
  );
  return EXIT.taskFailed;
}

/** A name or a typing error is no forgery. Throws BAD_REQUEST. */
function requireNodeId(text: string): string {
  const id = parseNodeId(text);
  if (id !== undefined) return id;
  throw new WritError('BAD_REQUEST', `--signer: ${quote(text)} is no node id`, {
    nextSteps: ['a person at the node that signed reads it from: writ status', 'where it is a peer: writ peer list'],
  });
}

async function verifyFiles({ home, environment, clock }: CliContext, path: string, signer: string | undefined) {
  const [{ hasNothing, readOfflineTrust }, { verifyOffline }] = await Promise.all([
    import('../../lifecycle/offline-trust.ts'),
    import('../result/offline-verify.ts'),
  ]);
  // Who has a node is told what that knows, and nothing less.
  const isAlone = signer !== undefined || (environment.taskAccess === undefined && hasNothing(home));
  const by = isAlone ? { signer: signer && requireNodeId(signer) } : await readOfflineTrust(home, environment);
  const found = await verifyOffline(resolve(path), by, clock.nowMs());
  return { ...found, isOfAnybody: isAlone && signer === undefined };
}

async function verifyTask(context: CliContext, task: string): Promise<OperationOutput<'verify_result'>> {
  if (/[/\\]|\.json$/.test(task)) {
    throw new WritError('BAD_REQUEST', `there is no file or folder ${quote(task)}`, {
      nextSteps: ['name a task, an envelope, or a folder that writ task result --out wrote'],
    });
  }
  return context.node().call('verify_result', { task });
}

function verifiedText(verified: OperationOutput<'verify_result'>): string {
  return [
    `verified: the result of task ${verified.task} by ${verified.node}, ${verified.state}`,
    verified.standing,
    ...verified.checked.map((line) => `  checked      ${line}`),
    ...verified.not_checked.map((line) => `  not checked  ${line}`),
    `it proves ${verified.proves}`,
  ]
    .map(visible)
    .join('\n');
}
