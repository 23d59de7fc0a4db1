import { visible } from '@writ/core';
import type { OperationOutput } from '@writ/gateway/client';
import { type AnswerOptions, askAndAnswer, isAnswerNeeded } from '../approver/answering.ts';
import { keyOption } from '../approver/key-option.ts';
import { readText } from '../config-text.ts';
import type { CliContext } from '../context.ts';
import { examples } from '../examples.ts';
import { EXIT } from '../exit-codes.ts';
import { explanation } from '../explanation.ts';
import type { Definitions } from '../program.ts';
import { restartText } from '../restart-text.ts';
import { violationLines } from '../violations.ts';
import { runPolicyCases } from './policy-cases.ts';
import { defineClassify } from './policy-classify.ts';
import { definePolicyDiff } from './policy-diff.ts';

export function definePolicy({ program, run }: Definitions): void {
  const policy = program.command('policy').description('what is allowed, and why');
  policy
    .command('validate')
    .description('check a configuration without using it')
    .argument('[file]', "absent: this node's writ.toml")
    .addHelpText('after', examples(['writ policy validate next.toml']))
    .action(run(validate));
  policy
    .command('explain')
    .description('would a request be allowed, and which rule decides')
    .option('--from <label>', 'a peer that asks here')
    .option('--to <label>', 'a peer that we would ask')
    .option('--profile <name>')
    .option('--workspace <name>')
    .option('--runner <name>')
    .addHelpText('after', examples(['writ policy explain --from laptop --profile repo-dev --workspace app']))
    .action(run(explain));
  policy
    .command('test')
    .description('run the [[tests]] of the configuration, or a file of cases')
    .option('--cases <file>', 'cases as JSON instead; needs no node')
    .addHelpText('after', examples(['writ policy test']))
    .action(run(test));
  keyOption(
    policy
      .command('reload')
      .description('read writ.toml again, in place')
      .option('--accept', 'also what gives someone more than before'),
  )
    .addHelpText('after', examples(['writ policy reload', 'writ policy reload --accept']))
    .action(run(reload));
  policy
    .command('status')
    .description('generation, digest, last error')
    .addHelpText('after', examples(['writ policy status']))
    .action(run(status));
  definePolicyDiff(policy, run);
  defineClassify(policy, run);
}

/** Works without a node: a broken file keeps one from starting. */
async function validate(context: CliContext, [file]: readonly string[]): Promise<number> {
  const path = file ?? context.home.configFile;
  const [{ compileConfig }, { withWorkspacePlaces }] = await Promise.all([
    import('@writ/policy'),
    import('../../node/workspace-place.ts'),
  ]);
  const compiled = withWorkspacePlaces(compileConfig(readText(path)), context.home);
  const answer = compiled.ok
    ? { valid: true, violations: [], deprecations: compiled.policy.deprecations.map(located) }
    : { valid: false, violations: compiled.violations.map(located), deprecations: [] };
  context.output.result(answer, (a) => (a.valid ? `${path} is valid` : violationLines(a.violations, path)));
  return answer.valid ? EXIT.ok : EXIT.usage;
}

function located<T extends { readonly position?: { readonly line: number; readonly column: number } }>(
  entry: T,
): Omit<T, 'position'> & { readonly line?: number; readonly column?: number } {
  const { position, ...rest } = entry;
  return { ...rest, ...position };
}

interface ExplainOptions {
  readonly from?: string;
  readonly to?: string;
  readonly profile?: string;
  readonly workspace?: string;
  readonly runner?: string;
}

async function explain(context: CliContext, _: readonly string[], options: ExplainOptions): Promise<number> {
  const answer = await context.node().call('policy_explain', {
    ...(options.from === undefined ? {} : { from: options.from }),
    ...(options.to === undefined ? {} : { to: options.to }),
    ...(options.profile === undefined ? {} : { profile: options.profile }),
    ...(options.workspace === undefined ? {} : { workspace: options.workspace }),
    ...(options.runner === undefined ? {} : { runner: options.runner }),
  });
  context.output.result(answer, (told) => explanation(told, context.output.step));
  return answer.effect === 'allow' ? EXIT.ok : answer.effect === 'ask' ? EXIT.waiting : EXIT.denied;
}

async function test(
  context: CliContext,
  _: readonly string[],
  { cases }: { readonly cases?: string },
): Promise<number> {
  if (cases !== undefined) return runPolicyCases(context, cases);
  const answer = await context.node().call('policy_test', {});
  context.output.result(answer, ({ tests }) =>
    tests.length === 0
      ? 'there are no [[tests]] in writ.toml'
      : tests
          .map((t) =>
            t.ok ? `ok      ${t.name}: ${t.got}` : `FAILED  ${t.name}: expected ${t.expected}, got ${t.got}`,
          )
          .join('\n'),
  );
  return answer.passed ? EXIT.ok : EXIT.taskFailed;
}

async function reload(
  context: CliContext,
  _: readonly string[],
  options: AnswerOptions & { readonly accept?: boolean },
): Promise<number> {
  const answer = await load(context, options.accept === true, options);
  context.output.result(answer, (a) => {
    if (!a.reloaded) return `not reloaded, generation ${a.generation} stays in force\n${violationLines(a.violations)}`;
    const restart = a.restart_needed.length > 0 ? `\n${restartText(a.restart_needed)}` : '';
    const parked =
      a.parked.length > 0
        ? `\nwaits for \`writ policy reload --accept\`:\n${a.parked.map((p) => `  ${visible(p.subject)} ${p.effect} ${visible(p.what)}`).join('\n')}`
        : '';
    return `generation ${a.generation} is in force${parked}${restart}`;
  });
  if (!answer.reloaded) return EXIT.usage;
  return answer.parked.length > 0 ? EXIT.waiting : EXIT.ok;
}

/** Where an approver has to answer, what waits is a question, and what is told is how it stands after the answer. */
async function load(
  context: CliContext,
  accept: boolean,
  options: AnswerOptions,
): Promise<OperationOutput<'policy_reload'>> {
  const node = context.node();
  if (!accept || !(await isAnswerNeeded(node))) return node.call('policy_reload', { accept });
  const loaded = await node.call('policy_reload', {});
  if (!loaded.reloaded || loaded.parked.length === 0) return loaded;
  await askAndAnswer(context, node, { kind: 'policy' }, options);
  return node.call('policy_reload', {});
}

async function status(context: CliContext): Promise<number> {
  const answer = await context.node().call('policy_status', {});
  context.output.result(answer, (a) => {
    const lines = [
      `generation ${a.generation}, digest ${a.digest.slice(0, 16)}, loaded ${new Date(a.loaded_at_ms).toISOString()}`,
    ];
    for (const d of a.deprecations) lines.push(`deprecated: ${d.path}: ${d.message}`);
    if (a.last_error) {
      const { at_ms: atMs, unreadable, violations } = a.last_error;
      lines.push(`the last reload failed, ${new Date(atMs).toISOString()}; generation ${a.generation} stays in force:`);
      lines.push(unreadable === undefined ? violationLines(violations) : visible(unreadable));
    }
    if (a.shut) lines.push('nobody is let in: what waits cannot be kept apart; writ policy reload --accept');
    for (const p of a.parked) lines.push(`waits: ${visible(p.subject)} ${p.effect} ${visible(p.what)}`);
    if (a.unused_yes_at_ms !== undefined) {
      const at = new Date(a.unused_yes_at_ms).toISOString();
      lines.push(
        `a yes came to nothing, ${at}: writ.toml was changed, or met a fault, before it was in force; writ policy reload --accept`,
      );
    }
    if (a.restart_needed.length > 0) lines.push(restartText(a.restart_needed));
    return lines.join('\n');
  });
  return EXIT.ok;
}
