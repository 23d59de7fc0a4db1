import { formatCounted, formatSize, quote, UNCOUNTED_BYTES } from '@writ/core';
import type { OperationOutput } from '@writ/gateway/client';
import { type ConfirmOptions, confirm, YES_OPTION } from '../confirm.ts';
import type { CliContext } from '../context.ts';
import { examples } from '../examples.ts';
import { EXIT } from '../exit-codes.ts';
import { table } from '../output.ts';
import type { Definitions } from '../program.ts';

type Row = OperationOutput<'workspace_list'>['workspaces'][number];

export function defineWorkspace({ program, run }: Definitions): void {
  const workspace = program.command('workspace').description('clones that tasks work in, and what is kept of them');
  workspace
    .command('list')
    .description(
      'clones that are in use, made ahead, or kept, and why; work that is kept nowhere else is never removed',
    )
    .addHelpText('after', examples(['writ workspace list']))
    .action(run(list));
  workspace
    .command('prune')
    .description('remove clones that are kept: those named, else every one whose work is kept elsewhere')
    .argument('[id...]', 'ids of `writ workspace list`, or of tasks')
    .option('--unbundled', 'also work that is kept nowhere else; only of those that are named')
    .option(...YES_OPTION)
    .addHelpText('after', examples(['writ workspace prune', 'writ workspace prune --unbundled TASK']))
    .action(run(prune));
}

async function list(context: CliContext): Promise<number> {
  const answer = await context.node().call('workspace_list', {});
  context.output.result(answer, ({ workspaces, bytes, budget_bytes: budget }) =>
    workspaces.length === 0
      ? 'no clone is on the disk'
      : `${tableOf(workspaces)}\n${takenOf(workspaces, bytes)} of ${formatSize(budget)}`,
  );
  return EXIT.ok;
}

async function prune(
  context: CliContext,
  ids: readonly string[],
  { unbundled = false, ...options }: { readonly unbundled?: boolean } & ConfirmOptions,
): Promise<number> {
  if (unbundled && ids.length > 0) {
    await confirm(context, options, {
      what: `this removes work that is kept nowhere else: ${ids.map(quote).join(', ')}`,
      retype: `writ workspace prune --unbundled ${ids.join(' ')}`,
    });
  }
  const answer = await context
    .node()
    .call('workspace_prune', { unbundled, ...(ids.length === 0 ? {} : { which: [...ids] }) });
  context.output.result(answer, ({ removed }) =>
    removed.length === 0 ? 'nothing was removed' : `removed:\n${tableOf(removed, WITHOUT_UNTIL)}`,
  );
  return EXIT.ok;
}

/** Without what cannot be counted, which is said. */
function takenOf(rows: readonly Row[], bytes: number): string {
  const uncounted = rows.flatMap((row) => (row.bytes !== undefined && row.bytes >= UNCOUNTED_BYTES ? [row.bytes] : []));
  if (uncounted.length === 0) return formatSize(bytes);
  const counted = uncounted.reduce((left, size) => left - size, bytes);
  return `${uncounted.length} of them cannot be counted; the others take ${formatSize(counted)}`;
}

type Column = readonly [heading: string, of: (row: Row) => string];

const COLUMNS: readonly Column[] = [
  ['STATE', ({ state }) => state],
  ['WORKSPACE', ({ workspace }) => workspace ?? ''],
  ['SENDER', ({ sender }) => sender ?? ''],
  ['SIZE', ({ bytes }) => (bytes === undefined ? '' : formatCounted(bytes))],
  ['SINCE', ({ since_ms: sinceMs }) => (sinceMs === undefined ? '' : new Date(sinceMs).toISOString())],
  ['UNTIL', (row) => untilOf(row)],
  ['ID', ({ id }) => id ?? ''],
  ['FOLDER', ({ dir }) => dir],
];
/** Of what is gone. */
const WITHOUT_UNTIL = COLUMNS.filter(([heading]) => heading !== 'UNTIL');

function tableOf(rows: readonly Row[], columns = COLUMNS): string {
  return table(
    columns.map(([heading]) => heading),
    rows.map((row) => columns.map(([, of]) => of(row))),
  );
}

/** When it goes, or why it does not. */
function untilOf({ state, due_at_ms: dueAtMs, unbundled }: Row): string {
  if (dueAtMs !== undefined) return new Date(dueAtMs).toISOString();
  if (state === 'in-use') return 'its task ends';
  if (state === 'ready') return 'a task takes it';
  return unbundled === 'some'
    ? 'you remove it: changes that are kept nowhere else'
    : 'you remove it: what it holds is not established';
}
