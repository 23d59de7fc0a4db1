import { type ActionRequest, type ClassifyTool, laneOf, type WhoAsks, whoseTurn } from '@writ/authority';
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
import type { CommandLooker, Looked } from './command-looker.ts';
import { createKeptLooks } from './kept-looks.ts';
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
  /** What the thread says, by the rules of this moment, when it is the asker's turn. It is kept for `classify`, with what the asker's lane had looked at. */
  look(argv: readonly string[], place: CommandPlace, asker: WhoAsks): Promise<Looked>;
  /** The same, kept until what it gives is called, whatever others have looked at meanwhile: for what a question stands on. */
  hold(argv: readonly string[], place: CommandPlace, asker: WhoAsks): Promise<() => void>;
}

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
  const kept = createKeptLooks();
  const keyOf = (argv: readonly string[], place: CommandPlace): string => JSON.stringify([argv, place]);

  async function look(argv: readonly string[], place: CommandPlace, asker: WhoAsks): Promise<Looked> {
    const { generation, config } = engine.snapshot();
    const looked = await looker.look({ argv, place, rules: config.commands, whose: whoseTurn(asker) });
    const key = keyOf(argv, place);
    const known = kept.get(key);
    // A look that came to nothing takes nothing from one that did: what the same rules say of the same words is the same.
    const isKnown = !looked.decided && known?.decided && known.generation === generation;
    const is = isKnown ? known : { ...looked, generation };
    // A lane, and no task: whoever hands over many of them has one share.
    kept.set(key, is, laneOf(asker));
    return is;
  }

  return {
    look,
    async hold(argv, place, asker) {
      const release = kept.hold(keyOf(argv, place));
      try {
        await look(argv, place, asker);
        return release;
      } catch (error) {
        release();
        throw error;
      }
    },
    classify(argv, place) {
      const one = kept.get(keyOf(argv, place));
      if (one === undefined) return undecidedCommand(argv, place, 'nobody has looked at it');
      const isNow = !one.decided || one.generation === engine.snapshot().generation;
      return isNow ? one.classification : inPlace.classify(argv, place);
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
    const isUndecided = is.rule === 'undecided';
    return {
      ...{ class: is.class, needs: is.needs },
      ...(alone === undefined ? {} : { alone }),
      ...(isUndecided ? { undecided: is.reason } : {}),
    };
  };
}
