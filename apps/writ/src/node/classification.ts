import type { ActionRequest, ClassifyTool } from '@writ/authority';
import {
  type Classification,
  type CommandClassifier,
  type CommandPlace,
  type CommandRule,
  createCommandClassifier,
  type PolicyEngine,
  readsAlone,
  type ShellGrammar,
} from '@writ/policy';
import { realPath } from './real-path.ts';

/** Says what commands are by the rules of this moment. */
export interface NodeClassifier {
  classify(argv: readonly string[], place: CommandPlace): Classification;
}

/** Follows the engine: the `[[commands]]` of the snapshot that is in force count, and those of no other one. */
export function createNodeClassifier(engine: Pick<PolicyEngine, 'snapshot'>, grammar: ShellGrammar): NodeClassifier {
  let made: { readonly commands: readonly CommandRule[]; readonly classifier: CommandClassifier } | undefined;
  return {
    classify(argv, place) {
      const { commands } = engine.snapshot().config;
      // Compiled once for each configuration, not for each command.
      if (made?.commands !== commands) made = { commands, classifier: createCommandClassifier({ grammar, commands }) };
      return made.classifier.classify(argv, place);
    },
  };
}

/**
 * Where a gated command runs: on this node, in the directory that it was asked for, wherever links to it lead, in nobody's own copy
 * of a workspace. INVARIANT: 1 the folder of a workspace is none: nothing holds the command inside, and what is written through a link
 * in it lands where no capability for the repository reaches.
 */
export function placeOf({ cwd }: Pick<ActionRequest, 'cwd'>): CommandPlace {
  return { host: 'self', cwd: realPath(cwd) ?? cwd };
}

/**
 * What a command is that a task's agent would run, in the task's own folder and sandbox; with isolation `none` there is no sandbox, so that
 * its folder is no workspace here either.
 */
export function toolClassifier({ classify }: NodeClassifier): ClassifyTool {
  return (argv, cwd) => {
    const is = classify(argv, { host: 'self', cwd });
    const alone = readsAlone(is, argv, cwd);
    return { class: is.class, needs: is.needs, ...(alone === undefined ? {} : { alone }) };
  };
}
