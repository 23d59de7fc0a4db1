import type { Clock } from '@writ/core';
import type { ControlClient } from '@writ/gateway/client';
import type { Environment } from '../env.ts';
import { assertFolder, type Home, resolveHome } from '../home.ts';
import { connect } from '../lifecycle/connect.ts';
import { patienceWith } from '../lifecycle/hanging-node.ts';
import type { Terminal } from '../terminal/terminal.ts';
import type { Streams } from './live-view.ts';
import { createOutput, type Output } from './output.ts';

/** Options that every command takes. */
export interface GlobalOptions {
  readonly json?: boolean;
  readonly home?: string;
  readonly quiet?: boolean;
  /** What tasks wrote goes to a terminal as it is. */
  readonly raw?: boolean;
}

/** What a command works with. */
export interface CliContext {
  readonly environment: Environment;
  readonly clock: Clock;
  readonly home: Home;
  readonly output: Output;
  readonly streams: Streams & { readonly in: NodeJS.ReadStream };
  /** Aborted by the first Ctrl-C; the second one ends the program. */
  readonly signal: AbortSignal;
  /** Aborted by Ctrl-C, SIGTERM and SIGHUP alike, of which none ends the program at once any more: for what tidies up. */
  stopSignal(): AbortSignal;
  /** The terminal of whoever typed this, whatever the streams are. Throws NOT_APPROVER where there is none. */
  terminal(): Terminal;
  /** The running node. Throws NOT_INITIALIZED or NOT_RUNNING with the command to type. */
  node(): ControlClient;
}

/** Throws BAD_REQUEST where the home that was named is none. */
export function createCliContext(
  base: Pick<CliContext, 'environment' | 'clock' | 'streams' | 'signal' | 'stopSignal' | 'terminal'>,
  options: GlobalOptions,
): CliContext {
  const home = resolveHome(base.environment, options.home);
  assertFolder(home);
  return {
    ...base,
    home,
    output: createOutput(base.streams, {
      ...{ json: options.json === true, raw: options.raw === true, quiet: options.quiet === true },
      home: options.home,
      noColor: base.environment.noColor,
      isDumb: base.environment.isDumbTerminal,
    }),
    node: () => connect(home, base.environment, patienceWith(home, base.clock)),
  };
}
