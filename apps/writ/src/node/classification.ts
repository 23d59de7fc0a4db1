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
  undecidedCommand,
} from '@writ/policy';
import type { CommandLooker } from './command-looker.ts';
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

/** Says what commands are that others send, and looks at each on a thread before. */
export interface LookedClassifier extends NodeClassifier {
  /** What the thread says, by the rules of this moment; `whose`: in whose turn. It is kept for `classify`. */
  look(argv: readonly string[], place: CommandPlace, whose: string): Promise<Classification>;
}

/** Most characters of commands whose looks are kept. */
const MOST_KEPT = 4 * 1024 * 1024;
const MOST_COMMANDS = 4096;

/**
 * INVARIANT: 2 what is asked for inside of a transaction is answered from the look before it, or from the rules of this moment where those
 * are others by now: a command that the thread was done with in time is done with here as well, since the owner's rules are held against
 * words and none searches them. What no look was taken at, or took too long, is undecided: nothing that others send is looked at here first.
 */
export function createLookedClassifier(
  engine: Pick<PolicyEngine, 'snapshot'>,
  inPlace: NodeClassifier,
  looker: CommandLooker,
): LookedClassifier {
  const kept = new Map<string, Kept>();
  let characters = 0;

  function keep(key: string, one: Kept): void {
    forget(key);
    kept.set(key, one);
    characters += key.length;
    for (const oldest of kept.keys()) {
      if (characters <= MOST_KEPT && kept.size <= MOST_COMMANDS) return;
      if (oldest !== key) forget(oldest);
    }
  }

  function forget(key: string): void {
    if (kept.delete(key)) characters -= key.length;
  }

  return {
    async look(argv, place, whose) {
      const rules = engine.snapshot().config.commands;
      const { classification, decided } = await looker.look({ argv, place, rules, whose });
      keep(JSON.stringify([argv, place]), { rules, classification, decided });
      return classification;
    },
    classify(argv, place) {
      const one = kept.get(JSON.stringify([argv, place]));
      if (one === undefined) return undecidedCommand(argv, place, 'nobody has looked at it');
      const isNow = !one.decided || one.rules === engine.snapshot().config.commands;
      return isNow ? one.classification : inPlace.classify(argv, place);
    },
  };
}

interface Kept {
  readonly rules: readonly CommandRule[];
  readonly classification: Classification;
  readonly decided: boolean;
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
