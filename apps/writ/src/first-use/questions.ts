import { visible } from '@writ/core';
import type { ClientName } from '../clients/types.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { type Answer, readClients, readName, readWorkspaces, readYes, type Workspace } from './answers.ts';
import type { FoundRepository } from './repositories.ts';

/** What a new node is made from. */
export interface Choices {
  readonly name: string;
  /** `host:port`; undefined: it only dials out. */
  readonly listen: string | undefined;
  readonly workspaces: readonly Workspace[];
  /** Agents that are told of the node. */
  readonly clients: readonly ClientName[];
}

/** What is on this machine, and what stands for a question that is not asked. */
export interface Found {
  readonly name: string;
  readonly listen: string;
  readonly repositories: readonly FoundRepository[];
  readonly clients: readonly ClientName[];
}

/** What the command line said already; what is absent is asked. */
export type Said = Partial<Omit<Choices, 'listen'>> & { readonly listen?: string | false };

/** What is taken without a question: everything that was found, and nothing of other programs' settings. */
export function choicesWithout(found: Found, said: Said): Choices {
  return {
    name: said.name ?? found.name,
    listen: listenOf(said.listen ?? found.listen),
    workspaces: said.workspaces ?? usualWorkspaces(found.repositories),
    clients: said.clients ?? [],
  };
}

/** Asks a person what the command line did not say. Throws CANCELLED after Ctrl-C; nothing is made before the last answer. */
export async function askChoices(terminal: Terminal, found: Found, said: Said): Promise<Choices> {
  const ask = async <T>(prompt: string, read: (line: string) => Answer<T>): Promise<T> => {
    for (;;) {
      const answer = tried(read, await terminal.askLine(prompt));
      if ('value' in answer) return answer.value;
      terminal.write(`     ${answer.problem}\n`);
    }
  };
  terminal.write('Four questions; Enter takes what stands in brackets, Ctrl-C leaves without a trace.\n\n');
  const name =
    said.name ??
    (await ask(`1/4  What shall other nodes call this one? [${found.name}] `, (line) => readName(line, found.name)));
  const listen = said.listen ?? (await askListen(ask, found.listen));
  const workspaces = said.workspaces ?? (await askWorkspaces(ask, terminal, found.repositories));
  const clients = said.clients ?? (await askClients(ask, terminal, found.clients));
  terminal.write('\n');
  return { name, listen: listenOf(listen), workspaces, clients };
}

type Ask = <T>(prompt: string, read: (line: string) => Answer<T>) => Promise<T>;

async function askListen(ask: Ask, address: string): Promise<string | false> {
  const port = address.slice(address.lastIndexOf(':') + 1);
  const question = `2/4  May paired machines hand it work? It listens on port ${port} then; otherwise it only asks others. [yes] `;
  return (await ask(question, (line) => readYes(line, true))) ? address : false;
}

async function askWorkspaces(
  ask: Ask,
  terminal: Terminal,
  found: readonly FoundRepository[],
): Promise<readonly Workspace[]> {
  const usual = usualWorkspaces(found);
  terminal.write(
    '3/4  Which repositories may tasks work on, each in a copy of its own? No peer gets one before you say so.\n',
  );
  const width = Math.max(0, ...found.map(({ name }) => name.length));
  found.forEach(({ name, path, isHere }, index) => {
    terminal.write(
      `       ${index + 1}  ${name.padEnd(width)}  ${visible(path)}${isHere ? '  (you are in it)' : ''}\n`,
    );
  });
  const numbers = found.flatMap(({ name }, index) => (usual.some((one) => one.name === name) ? [index + 1] : []));
  const absent =
    numbers.length === 0 ? 'none' : numbers.length === found.length && numbers.length > 1 ? 'all' : numbers.join(',');
  const how = found.length === 0 ? 'a path, or none' : 'numbers, paths, all or none';
  return ask(`     ${how} [${absent}] `, (line) => readWorkspaces(line, found, usual));
}

async function askClients(ask: Ask, terminal: Terminal, here: readonly ClientName[]): Promise<readonly ClientName[]> {
  if (here.length === 0) {
    terminal.write('4/4  Which agents shall know it? None was found here; later: writ mcp install --client NAME\n');
    return [];
  }
  terminal.write(
    `4/4  Which agents shall know it? It is put into their settings; writ mcp uninstall takes it out. Here: ${here.join(', ')}\n`,
  );
  return ask('     names, all or none [all] ', (line) => readClients(line, here));
}

/** The one that somebody is in; elsewhere all that were found. */
function usualWorkspaces(found: readonly FoundRepository[]): readonly Workspace[] {
  const here = found.filter(({ isHere }) => isHere);
  return (here.length > 0 ? here : found).map(({ name, path }) => ({ name, path }));
}

function listenOf(listen: string | false): string | undefined {
  return listen === false ? undefined : listen;
}

/** What an option would refuse is a reason to ask again. */
function tried<T>(read: (line: string) => Answer<T>, line: string): Answer<T> {
  try {
    return read(line);
  } catch (error) {
    return { problem: (error as Error).message };
  }
}
