import { resolve } from 'node:path';
import { quote, WritError } from '@writ/core';
import { entryLine, reportText, shownText } from '../audit/audit-text.ts';
import { type AuditSource, type ExportWish, openAuditSource } from '../audit/source.ts';
import type { CliContext } from '../context.ts';
import { examples } from '../examples.ts';
import { EXIT } from '../exit-codes.ts';
import type { Definitions } from '../program.ts';
import { readCount } from '../read-count.ts';

export function defineAudit({ program, run }: Definitions): void {
  const audit = program
    .command('audit')
    .description('what happened on this node, signed so that nobody can change it unseen');
  audit
    .command('tail')
    .description('the newest entries, then what happens, as it happens')
    .option('--lines <count>', 'how many of the newest', '20')
    .option('--kind <kind...>', 'only these, such as `task` or `lease`')
    .option('--no-follow', 'end with what has happened')
    .addHelpText('after', examples(['writ audit tail --lines 50 --kind decision --no-follow']))
    .action(run(tail));
  audit
    .command('show')
    .description('an entry, and the proof that a signed checkpoint counts it')
    .argument('<entry>', 'its number')
    .option('--proof', 'only the proof, in the form of c2sp.org/tlog-proof')
    .addHelpText('after', examples(['writ audit show 17']))
    .action(run(show));
  audit
    .command('verify')
    .description('check that nothing of the log was changed, dropped, added or cut')
    .argument('[bundle]', 'a file of `writ audit export`; absent: the log of this node')
    .option('--checkpoint <file...>', 'one that you keep elsewhere: shows a tail that was cut, and another history')
    .addHelpText(
      'after',
      '\nA bundle needs no node; neither does the log of this home where its node does not run.\n' +
        examples(['writ audit verify --checkpoint /mnt/elsewhere/checkpoint', 'writ audit verify audit.jsonl']),
    )
    .action(run(verify));
  audit
    .command('export')
    .description('entries with checkpoint and proofs, for somebody who verifies them without this node')
    .option('--from <entry>', 'the first; absent: the first that there is')
    .option('--to <entry>', 'the last; absent: the last that is signed')
    .option('--since <file>', 'a checkpoint from before: what came after it, and that the log only grew')
    .option('--only-checkpoint', 'only the newest checkpoint, to be kept elsewhere')
    .option('--output <file>', 'into a new file instead of standard output')
    .addHelpText(
      'after',
      examples(['writ audit export --only-checkpoint > /mnt/elsewhere/checkpoint']) +
        '  $ writ audit export --since /mnt/elsewhere/checkpoint --output audit.jsonl\n',
    )
    .action(run(exportEntries));
}

/** Opens the log for as long as `use` lasts. */
async function withSource<T>(context: CliContext, use: (source: AuditSource) => Promise<T>): Promise<T> {
  const source = await openAuditSource(context);
  try {
    return await use(source);
  } finally {
    source.close();
  }
}

interface TailOptions {
  readonly lines: string;
  readonly kind?: readonly string[];
  readonly follow: boolean;
}

function tail(context: CliContext, _: readonly string[], { lines, kind, follow }: TailOptions): Promise<number> {
  const limit = readCount(lines, {
    option: '--lines',
    of: 'a number of entries from 1 to 1000',
    example: 'writ audit tail --lines 50',
    most: 1000,
  });
  return withSource(context, async (source) => {
    const shown = await source.tail(limit);
    const isWanted = (entry: { readonly kind: string }): boolean => kind === undefined || kind.includes(entry.kind);
    for (const entry of shown.filter(isWanted)) context.output.item(entry, entryLine);
    if (!follow) return EXIT.ok;
    if (source.follow === undefined) {
      context.output.note('the node does not run: nothing happens that could be followed');
      return EXIT.ok;
    }
    for await (const entry of source.follow(shown.at(-1)?.seq ?? 0)) {
      if (isWanted(entry)) context.output.item(entry, entryLine);
    }
    return EXIT.ok;
  });
}

function show(
  context: CliContext,
  [number = '']: readonly string[],
  { proof: onlyProof = false }: { readonly proof?: boolean },
): Promise<number> {
  const entry = readCount(number, {
    option: 'audit show',
    of: 'the number of an entry',
    example: 'writ audit show 17',
  });
  return withSource(context, async (source) => {
    const shown = await source.show(entry);
    if (!onlyProof) {
      context.output.result(shown, shownText);
      return EXIT.ok;
    }
    const { proof } = shown;
    if (proof === undefined) {
      throw new WritError('NOT_FOUND', `no checkpoint counts entry ${entry} yet`, {
        nextSteps: ['start the node: writ up'],
      });
    }
    const { proofText } = await import('@writ/audit');
    context.output.result({ proof: proofText(proof) }, (answer) => answer.proof.trimEnd());
    return EXIT.ok;
  });
}

async function verify(
  context: CliContext,
  [bundle]: readonly string[],
  { checkpoint = [] }: { readonly checkpoint?: readonly string[] },
): Promise<number> {
  const { readCheckpointFile, verifyBundleFile } = await import('../audit/files.ts');
  const kept = checkpoint.map(readCheckpointFile);
  const report =
    bundle === undefined
      ? await withSource(context, (source) => source.verify(kept, progressOf(context)))
      : await verifyBundleFile(bundle, kept);
  const { whoseLog } = await import('../audit/whose.ts');
  const whose = await whoseLog(context, report.node);
  const notes = [...report.notes, ...whose.notes];
  context.output.result({ ...report, notes }, (told) => reportText(told, whose.name, context.output.step));
  return report.ok ? EXIT.ok : EXIT.evidenceInvalid;
}

/** Says how far it is where a person watches. */
function progressOf({ streams, output }: CliContext): (entries: number) => void {
  if (output.json || streams.err.isTTY !== true) return () => undefined;
  return (entries) => streams.err.write(`\r${entries} entries\r`);
}

interface ExportOptions {
  readonly from?: string;
  readonly to?: string;
  readonly since?: string;
  readonly onlyCheckpoint?: boolean;
  readonly output?: string;
}

function exportEntries(context: CliContext, _: readonly string[], options: ExportOptions): Promise<number> {
  return withSource(context, async (source) => {
    const lines = options.onlyCheckpoint === true ? newest(source) : source.export(await wishOf(options));
    const isNote = options.onlyCheckpoint === true;
    if (options.output === undefined) {
      for await (const line of lines) {
        if (isNote && context.output.json) context.output.item({ checkpoint: line }, () => undefined);
        else await context.output.raw('stdout', Buffer.from(isNote ? line : `${line}\n`));
      }
      return EXIT.ok;
    }
    const { writeNew } = await import('../result/content.ts');
    const file = resolve(options.output);
    await writeNew(file, bytesOf(lines, isNote ? '' : '\n'));
    context.output.result({ file }, (saved) =>
      isNote
        ? `wrote ${quote(saved.file)}`
        : `wrote ${quote(saved.file)}\ncheck it anywhere with: writ audit verify ${saved.file}`,
    );
    return EXIT.ok;
  });
}

async function wishOf({ from, to, since }: ExportOptions): Promise<ExportWish> {
  const example = 'writ audit export --from 1 --to 100';
  const { readCheckpointFile } = await import('../audit/files.ts');
  return {
    ...(from === undefined
      ? {}
      : { from: readCount(from, { option: '--from', of: 'the number of an entry', example }) }),
    ...(to === undefined ? {} : { to: readCount(to, { option: '--to', of: 'the number of an entry', example }) }),
    ...(since === undefined ? {} : { since: readCheckpointFile(since) }),
  };
}

/** The newest checkpoint, as it counts the newest entry that is signed. */
async function* newest(source: AuditSource): AsyncGenerator<string> {
  const [last] = await source.tail(1);
  const shown = last && (await source.show(last.seq));
  if (shown?.proof === undefined) {
    throw new WritError('NOT_FOUND', 'no checkpoint counts the newest entry', {
      nextSteps: ['start the node, which signs it: writ up', 'see what keeps it: writ status'],
    });
  }
  yield shown.proof.checkpoint;
}

async function* bytesOf(lines: AsyncIterable<string>, end: string): AsyncGenerator<Buffer> {
  for await (const line of lines) yield Buffer.from(`${line}${end}`);
}
