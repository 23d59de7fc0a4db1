import { type Clock, type Logger, Mutex, type Random, replaceIfSame, sha256Hex, WritError } from '@writ/core';
import type { ConfigFile } from '@writ/pairing';
import type { PolicyEngine, ReloadOutcome, Violation } from '@writ/policy';
import { digestAccepted, type PolicyYes } from './accepted-policy.ts';
import { readConfigText } from './config-text.ts';
import { watchFile } from './config-watch.ts';
import type { NodePolicyCompiler } from './policy-compiler.ts';
import { realPath } from './real-path.ts';

/** What made a reload: the file changed, a person typed it, an approver said yes, an edit of this program, or one that an agent proposed. */
export type ReloadCause = 'watcher' | 'command' | 'approved' | 'edit' | 'proposal';

export interface ConfigFileOptions {
  readonly path: string;
  readonly engine: PolicyEngine;
  /** The one that `engine` compiles with; closed with this. */
  readonly compiler: NodePolicyCompiler;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  /** Told after every reload; stores what a person accepted. */
  readonly onReload: (text: string, outcome: ReloadOutcome, cause: ReloadCause) => Promise<void>;
}

/** The node's `writ.toml`: the one place that reads, writes and watches it. */
export interface NodeConfigFile extends ConfigFile {
  /** Reads the file and swaps the policy in place. */
  reload(options: { readonly accept: boolean }): Promise<ReloadOutcome>;
  /**
   * Puts in force what an approver said yes to, where it is what is loaded, over what was accepted then; false where it
   * is not: nothing changes, and what is loaded waits on.
   */
  accept(yes: PolicyYes): Promise<boolean>;
  /**
   * Checks an edit that nobody has said yes to, and unless `dryRun` writes and loads it: what gives someone more waits.
   * Throws CONFIG_INVALID where the file does not load as it stands, CONFLICT where somebody else changes it all the time.
   */
  propose(change: (text: string) => string, options: { readonly dryRun: boolean }): Promise<ProposedText>;
  /** Ends what is under way, which then has no effect or its whole effect; what waits is refused with SHUTTING_DOWN. */
  close(): Promise<void>;
}

/** A text beside the one that was there, and what came of it. */
export interface ProposedText {
  readonly before: string;
  readonly after: string;
  /** Why it does not load; then it was not written. */
  readonly violations: readonly Violation[];
  readonly outcome?: ReloadOutcome;
}

/** Everything that touches the file takes its turn. */
export function createConfigFile(options: ConfigFileOptions): NodeConfigFile {
  const turn = new Mutex(new WritError('SHUTTING_DOWN', 'this node is shutting down'));
  const state: State = { ...options, lastText: readConfigText(options.path) };
  const stopWatching = watchFile(options, () => turn.runExclusive(() => reloadIfChanged(state, readText(state))));
  return {
    read: async () => readConfigText(options.path),
    ready: () => turn.runExclusive(() => settle(state, readText(state))),
    reload: ({ accept }) => turn.runExclusive(() => reloadText(state, readText(state), accept, 'command')),
    accept: (yes) =>
      turn.runExclusive(async () => {
        const { engine, lastText: text } = state;
        const isSame = sha256Hex(text) === yes.text && digestAccepted(engine.acceptedTexts()) === yes.accepted;
        return isSame && (await reloadText(state, text, true, 'approved')).reloaded;
      }),
    edit: (change) =>
      turn.runExclusive(() =>
        fromTextOfNow(state, async (before) => {
          await settle(state, before);
          return rewrite(state, before, change(before), true);
        }),
      ),
    takeAway: (change) =>
      turn.runExclusive(() => fromTextOfNow(state, (before) => rewrite(state, before, change(before), false))),
    propose: (change, { dryRun }) =>
      turn.runExclusive(() => fromTextOfNow(state, (before) => propose(state, before, change, dryRun))),
    async close() {
      stopWatching();
      turn.cancel();
      await options.compiler.close();
      await turn.waitForUnlock();
    },
  };
}

interface State extends ConfigFileOptions {
  /** The text that was loaded last, or that did not load. */
  lastText: string;
}

async function reloadText(state: State, text: string, accept: boolean, cause: ReloadCause): Promise<ReloadOutcome> {
  const { engine, logger } = state;
  const outcome = await engine.reload(text, { acceptWidening: accept }).catch((error: unknown) => {
    engine.noteUnreadable((error as Error).message);
    throw error;
  });
  state.lastText = text;
  const fields = { generation: outcome.generation, cause, violations: outcome.violations?.length ?? 0 };
  if (outcome.reloaded) logger.info('policy reloaded', fields);
  else logger.warn('policy not reloaded', fields);
  await state.onReload(text, outcome, cause);
  return outcome;
}

/** The text of now; where there is none, the status of the policy says so until it can be read again. */
function readText({ engine, path }: State): string {
  try {
    return readConfigText(path);
  } catch (error) {
    engine.noteUnreadable((error as Error).message);
    throw error;
  }
}

async function reloadIfChanged(state: State, text: string): Promise<void> {
  const wasUnreadable = state.engine.status().lastError?.unreadable !== undefined;
  if (wasUnreadable || text !== state.lastText) await reloadText(state, text, false, 'watcher');
}

/** A person says yes to their own change alone: whatever else the file holds must be in force before it. */
async function settle(state: State, text: string): Promise<void> {
  await reloadIfChanged(state, text);
  const { parked, lastError } = state.engine.status();
  if (lastError !== undefined) throw doesNotLoadAsItStands();
  if (parked !== undefined && parked.length > 0) {
    throw new WritError('CONFLICT', 'writ.toml holds changes that give somebody more and wait for a yes', {
      nextSteps: ['writ policy status', 'writ policy reload --accept'],
    });
  }
}

/** How often an edit begins again before it gives way to whoever else writes the file. */
const MOST_BEGINNINGS = 5;

/**
 * An edit on the text of now. To check it takes a while: where somebody saved another text meanwhile (`edit` gives
 * undefined), it begins again from theirs. Throws CONFLICT where they do not stop.
 */
async function fromTextOfNow<T>(state: State, edit: (before: string) => Promise<T | undefined>): Promise<T> {
  for (let n = 0; n < MOST_BEGINNINGS; n++) {
    const done = await edit(readText(state));
    if (done !== undefined) return done;
  }
  throw new WritError('CONFLICT', 'writ.toml is changed by somebody else all the time, and stays as they left it', {
    nextSteps: ['writ policy status', 'do it again'],
  });
}

async function propose(
  state: State,
  before: string,
  change: (text: string) => string,
  dryRun: boolean,
): Promise<ProposedText | undefined> {
  await reloadIfChanged(state, before);
  if (state.engine.status().lastError !== undefined) throw doesNotLoadAsItStands();
  const after = change(before);
  const compiled = await state.compiler.compile(after);
  const violations = compiled.ok ? [] : compiled.violations;
  if (!compiled.ok || dryRun || after === before) return { before, after, violations };
  const outcome = await putInForce(state, { before, after }, false, 'proposal');
  if (outcome === undefined || outcome.reloaded) return outcome && { before, after, violations, outcome };
  return { before, after, violations: outcome.violations ?? [] };
}

/** Checked, written, then in force: a person finds the file as it was or as it was meant, and what is in force in it. */
async function rewrite(
  state: State,
  before: string,
  after: string,
  accept: boolean,
): Promise<{ generation: number } | undefined> {
  const compiled = await state.compiler.compile(after);
  if (!compiled.ok) throw doesNotLoad(compiled.violations);
  const outcome = await putInForce(state, { before, after }, accept, 'edit');
  if (outcome === undefined || outcome.reloaded) return outcome && { generation: outcome.generation };
  throw doesNotLoad(outcome.violations ?? []);
}

/** Writes and loads; undefined where the file is not the one from before any more. What does not load is taken back. */
async function putInForce(
  state: State,
  { before, after }: { readonly before: string; readonly after: string },
  accept: boolean,
  cause: ReloadCause,
): Promise<ReloadOutcome | undefined> {
  const { random } = state;
  // What is replaced is the file, and not the link that leads to where a person keeps it.
  const path = realPath(state.path) ?? state.path;
  if (!(await replaceIfSame(path, { before, after }, random))) return undefined;
  const outcome = await reloadText(state, after, accept, cause);
  if (!outcome.reloaded) await replaceIfSame(path, { before: after, after: before }, random);
  return outcome;
}

function doesNotLoadAsItStands(): WritError {
  return new WritError('CONFIG_INVALID', 'writ.toml does not load as it stands, so nothing is added to it', {
    nextSteps: ['writ policy status'],
  });
}

function doesNotLoad([first]: readonly Violation[]): WritError {
  const where = first === undefined ? '' : `: ${first.path}: ${first.message}`;
  return new WritError('CONFIG_INVALID', `writ.toml with the change does not load${where}`, {
    nextSteps: ['writ policy validate'],
  });
}
