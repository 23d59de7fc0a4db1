import { createCommandClassifier } from '../../classification/classify.ts';
import { PACKS } from '../../classification/packs/index.ts';
import type { RulePack } from '../../classification/types.ts';
import { compileConfig, formatViolations, testConfig } from '../../compile.ts';
import { decideWith, decisionForPeer } from '../../decide.ts';
import { diffPolicies } from '../../diff.ts';
import { effectiveValues } from '../../effective.ts';
import { explainText } from '../../explain.ts';
import { meetConfigs } from '../../meet.ts';
import { decideOutboundWith } from '../../outbound.ts';
import type { CompiledPolicy } from '../../policy-index.ts';
import { stricterDecision } from '../../stricter.ts';
import type { CommandRule, Decision } from '../../types.ts';
import { load } from '../fixtures.ts';
import { testGrammar } from '../shell-grammar.ts';
import { SELF_ID } from '../testing.ts';
import { BROKEN } from './broken.ts';
import { ARGVS, SCRIPTS } from './commands.ts';
import { EDIT_PARTS, STOCK_PARTS } from './edits.ts';
import type { Part } from './part.ts';
import { OUTBOUND, questionsFor } from './questions.ts';
import { edited, RICH } from './rich-config.ts';
import { VARIANTS } from './variants.ts';

const FRAME = { generation: 1, selfId: SELF_ID };

/** One line for each value, under the path that it stands at. */
function flat(value: unknown, path = ''): readonly (readonly [path: string, value: string])[] {
  const entries = value instanceof Map ? [...value] : isPlain(value) ? Object.entries(value) : undefined;
  if (!entries || entries.length === 0) return [[path, entries ? '{}' : JSON.stringify(value)]];
  return entries.flatMap(([key, one]) => flat(one, path === '' ? `${key}` : `${path}.${key}`));
}

function isPlain(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function show(value: unknown): string {
  return flat(value)
    .map(([path, one]) => `${path} = ${one}`)
    .join('\n');
}

/** What `after` says in another way than `before`. */
function against(before: unknown, after: unknown): string {
  const was = new Map(flat(before));
  const is = new Map(flat(after));
  return [...new Set([...was.keys(), ...is.keys()])]
    .filter((path) => was.get(path) !== is.get(path))
    .map((path) => `${path}: ${was.get(path) ?? 'nothing'} -> ${is.get(path) ?? 'nothing'}`)
    .join('\n');
}

function violationsOf(text: string): string {
  const compiled = compileConfig(text);
  return compiled.ok ? 'loads' : formatViolations(compiled.violations);
}

function testsOf(text: string): string {
  const report = testConfig(text);
  return report.ok ? show(report.results) : 'does not load';
}

const changesOf = (from: CompiledPolicy, to: CompiledPolicy): string =>
  diffPolicies(from.config, to.config)
    .map(({ subject, effect, what }) => `${subject} ${effect}: ${what}`)
    .join('\n');

function decisionsOf(text: string): readonly Part[] {
  return questionsFor(load(text)).map(([title, request]) => ({
    title,
    text: () => {
      const decision = decideWith(load(text).index, request, FRAME);
      const { trace, ...rest } = decision;
      return [explainText(decision), JSON.stringify(rest), `${trace.length} steps`, forPeer(decision)].join('\n');
    },
  }));
}

/** What a peer is told, where that is something else. */
function forPeer(decision: Decision): string {
  const { trace: _own, ...own } = decision;
  const { trace, ...told } = decisionForPeer(decision);
  return trace.length === 0 && JSON.stringify(told) === JSON.stringify(own) ? '' : `a peer is told ${told.code}`;
}

function metWith(variant: CompiledPolicy): string {
  const rich = load(RICH);
  const met = meetConfigs(rich.config, variant.config);
  // Some of them: what is met is the same for the others.
  const asked = questionsFor(rich).filter((_, at) => at % 5 === 0);
  const decided = asked.flatMap(([title, request]) => {
    const before = decideWith(rich.index, request, FRAME);
    const after = decideWith(variant.index, request, FRAME);
    const [one, other] = [stricterDecision(before, after, met), stricterDecision(after, before, met)].map(untraced);
    const changes = [against(untraced(before), one), against(one, other)];
    return changes.every((text) => text === '') ? [] : [title, ...changes];
  });
  const back = meetConfigs(variant.config, rich.config);
  return [against(rich.config, met), '-- the other way', against(met, back), '-- decided', ...decided].join('\n');
}

const untraced = (decision: Decision): object => ({ ...decision, trace: decision.trace.length });

/** Whole classifications, one a line. */
async function classifications(): Promise<readonly Part[]> {
  const rules = [
    { match: ['deploy', '*'], class: 'config-mutation', needs: ['manage_services'], target: 1 },
    { match: ['ls', 'secret', '**'], class: 'destructive', needs: ['use_secrets'] },
    { match: ['rm', 'x'], class: 'read', needs: [] },
  ] as const;
  const grammar = await testGrammar();
  const place = { host: 'self', cwd: '/w', workspace: '/w' };
  const line = (argv: readonly string[], own: readonly CommandRule[] = []): string => {
    const { commands, ...whole } = createCommandClassifier({ grammar, commands: own }).classify(argv, place);
    return `${JSON.stringify(argv)}\n  ${JSON.stringify(whole)}\n${commands.map((one) => `    ${JSON.stringify(one)}`).join('\n')}`;
  };
  const examples = (pack: RulePack): readonly (readonly string[])[] =>
    pack.rules.flatMap((rule) => [...rule.examples, ...rule.notExamples]);
  return [
    { title: 'scripts', text: () => SCRIPTS.map((script) => line(['sh', '-c', script])).join('\n') },
    { title: 'argument lists', text: () => ARGVS.map((argv) => line(argv)).join('\n') },
    {
      title: 'rules of a configuration',
      text: () =>
        [
          ['deploy', 'x'],
          ['deploy', '-x'],
          ['deploy'],
          ['./deploy', 'x'],
          ['ls', 'secret'],
          ['rm', 'x'],
          ['sh', '-c', 'deploy ./*'],
          ['sh', '-c', 'ls secret *'],
          ['sudo', 'deploy', 'y'],
        ]
          .map((argv) => line(argv, rules))
          .join('\n'),
    },
    {
      title: 'no workspace, no folder',
      text: () =>
        [['rm', 'x'], ['rm', '/w/x'], ['tee', 'x'], ['ls']]
          .map((argv) => JSON.stringify(createCommandClassifier({ grammar }).classify(argv, { host: 'self' })))
          .join('\n'),
    },
    ...PACKS.map((pack) => ({
      title: pack.topic,
      text: () =>
        examples(pack)
          .map((argv) => {
            const {
              class: is,
              rule,
              target,
              needs,
              known,
            } = createCommandClassifier({ grammar }).classify(argv, place);
            return `${JSON.stringify(argv)} ${is} ${rule} ${target ?? '-'} ${needs.join(',')} ${known}`;
          })
          .join('\n'),
    })),
  ];
}

/** Every golden file with its parts, made from what the package does now. */
export const GOLDEN: Readonly<Record<string, readonly Part[]>> = {
  decisions: [
    ...decisionsOf(RICH),
    ...OUTBOUND.map((request) => ({
      title: `out: ${JSON.stringify(request)}`,
      text: () => {
        const decision = decideOutboundWith(load(RICH).index, request, 1);
        return [explainText(decision), JSON.stringify(decision)].join('\n');
      },
    })),
  ],
  violations: BROKEN.map((edit) => ({
    title: edit[0],
    text: () => [violationsOf(edited(edit)), testsOf(edited(edit))].join('\n'),
  })),
  configurations: [
    { title: 'all', text: () => show({ ...load(RICH), index: undefined }) },
    { title: 'effective values', text: () => show(effectiveValues(RICH)) },
    ...VARIANTS.map((edit) => ({
      title: edit[0],
      text: () => against(load(RICH).config, load(edited(edit)).config),
    })),
  ],
  differences: VARIANTS.map((edit) => ({
    title: edit[0],
    text: () => [changesOf(load(RICH), load(edited(edit))), '', changesOf(load(edited(edit)), load(RICH))].join('\n'),
  })),
  classifications: await classifications(),
  edits: EDIT_PARTS,
  stock: STOCK_PARTS,
  meetings: VARIANTS.map((edit) => ({ title: edit[0], text: () => metWith(load(edited(edit))) })),
};

/** Text of a golden file. */
export function goldenText(parts: readonly Part[]): string {
  return parts.map(({ title, text }) => `=== ${title}\n${text()}\n`).join('\n');
}
