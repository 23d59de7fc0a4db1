import { type ParsedArguments as AllArguments, isMany, isOption } from './options.ts';
import { absolutePath } from './paths.ts';
import type { Argument, CommandPlace, TargetSpec } from './types.ts';

type ParsedArguments = Omit<AllArguments, 'written'>;

/**
 * Canonical names of what a command acts on, each `host/kind/name`; undefined where one of them cannot be told: then
 * nothing may be said about any.
 */
export function targetsOf(
  spec: TargetSpec,
  parsed: ParsedArguments,
  place: CommandPlace,
): readonly string[] | undefined {
  const context = contextOf(spec, parsed);
  if (!context) return undefined;
  const named = argumentsOf(spec, parsed);
  const targets = new Set<string>();
  for (const argument of named) {
    const name = spec.kind === 'path' ? absolutePath(argument, place) : canonicalName(spec.kind, argument);
    if (name === undefined) return undefined;
    targets.add([place.host, spec.kind, ...context, name].join('/'));
  }
  return targets.size > 0 ? [...targets] : undefined;
}

/** The arguments that name targets. */
export function argumentsOf(spec: TargetSpec, { operands, options }: ParsedArguments): readonly Argument[] {
  const { from, only, last, option, prefix } = spec;
  if (option !== undefined) {
    return options.filter(({ name }) => isOption(name, option.split('|'))).flatMap(({ value }) => value ?? []);
  }
  const named = only === undefined ? operands.slice(last ? -1 : (from ?? 0)) : operands.slice(only, only + 1);
  // What may become several in front moves all the others.
  if (prefix === undefined) return [...(last ? [] : operands.slice(0, only ?? from ?? 0).filter(isMany)), ...named];
  return named
    .filter(({ text }) => text.startsWith(prefix))
    .map((argument) => ({ ...argument, text: argument.text.slice(prefix.length) }));
}

/** Remote, cluster, namespace, database: without it a name may mean something else tomorrow. */
function contextOf({ within = [], withinIfGiven = [] }: TargetSpec, parsed: ParsedArguments): string[] | undefined {
  const names: string[] = [];
  for (const one of within) {
    const argument = typeof one === 'number' ? parsed.operands[one] : optionValue(one, parsed);
    const name = argument && plainName(argument);
    if (name === undefined) return undefined;
    names.push(name);
  }
  for (const option of withinIfGiven) {
    if (!parsed.options.some(({ name }) => isOption(name, [option]))) continue;
    const argument = optionValue(option, parsed);
    const name = argument && plainName(argument);
    if (name === undefined) return undefined;
    names.push(name);
  }
  return names;
}

/** Value of an option that is given once, in any of its spellings separated by `|`. */
function optionValue(spellings: string, { options }: ParsedArguments): Argument | undefined {
  const given = options.filter(({ name }) => isOption(name, spellings.split('|')));
  return given.length === 1 ? given[0]?.value : undefined;
}

/** A name without wildcards, slashes and anything that two programs could read differently. */
function plainName({ text, shape }: Argument): string | undefined {
  return shape === 'literal' && /^[A-Za-z0-9_][A-Za-z0-9._@:+-]*$/.test(text) ? text : undefined;
}

function canonicalName(kind: string, argument: Argument): string | undefined {
  if (argument.shape !== 'literal') return undefined;
  switch (kind) {
    case 'service':
      return plainName({ ...argument, text: argument.text.replace(/\.service$/, '') });
    case 'package':
      return packageName(argument.text);
    case 'branch':
      return branchName(argument.text);
    case 'image':
      return /^[a-z0-9][a-z0-9._/:@-]*$/.test(argument.text) ? argument.text : undefined;
    default:
      return plainName(argument);
  }
}

/** `jq=1.7` and `jq/stable` are jq; `jq-` takes it away, and a file is no name. */
function packageName(text: string): string | undefined {
  const end = text.slice(1).search(/[=/]/);
  const name = end < 0 ? text : text.slice(0, end + 1);
  return /^(@[a-z0-9._-]+\/)?[a-z0-9][a-z0-9.+_-]*$/.test(name) && !/[-+]$/.test(name) ? name : undefined;
}

/** The branch that a refspec writes. */
function branchName(text: string): string | undefined {
  const written = text.replace(/^\+/, '');
  const name = written.slice(written.indexOf(':') + 1).replace(/^refs\/heads\//, '');
  const isBranch = /^[A-Za-z0-9_][A-Za-z0-9._/-]*$/.test(name) && !name.startsWith('refs/') && name !== 'HEAD';
  return isBranch && !name.includes('..') && !name.endsWith('/') ? name : undefined;
}
