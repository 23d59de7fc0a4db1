import { visible } from '@writ/core';
import type { CliContext } from '../context.ts';
import type { Finding } from '../doctor/types.ts';
import { examples } from '../examples.ts';
import { EXIT } from '../exit-codes.ts';
import type { Definitions } from '../program.ts';

export function defineDoctor({ program, run }: Definitions): void {
  program
    .command('doctor')
    .description('what is wrong here, and the command that mends it; changes nothing')
    .addHelpText(
      'after',
      examples(['writ doctor'], 'It ends with 1 where something is wrong, and with 0 after warnings alone.'),
    )
    .action(run(doctor));
}

async function doctor(context: CliContext): Promise<number> {
  const { examine } = await import('../doctor/examine.ts');
  const findings = await examine(context);
  const count = (state: Finding['state']): number => findings.filter((finding) => finding.state === state).length;
  const answer = { findings, problems: count('problem'), warnings: count('warning') };
  context.output.result(answer, () =>
    [...findings.map((finding) => linesOf(context, finding)), '', summary(answer.problems, answer.warnings)].join('\n'),
  );
  return answer.problems === 0 ? EXIT.ok : EXIT.taskFailed;
}

const MARKS = { ok: 'ok     ', note: 'note   ', warning: 'warning', problem: 'PROBLEM' } as const;

function linesOf({ output }: CliContext, { check, state, says, mend }: Finding): string {
  const { colors, step } = output;
  const paint = { ok: colors.green, note: colors.dim, warning: colors.yellow, problem: colors.red }[state];
  return [
    `${paint(MARKS[state])}  ${check}: ${visible(says)}`,
    ...(state === 'ok' ? [] : mend.map((next) => `         ${step(next)}`)),
  ].join('\n');
}

function summary(problems: number, warnings: number): string {
  if (problems + warnings === 0) return 'nothing is wrong';
  return `${problems} wrong, ${warnings} to think about`;
}
