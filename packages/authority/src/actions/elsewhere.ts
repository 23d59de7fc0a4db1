import { basename } from 'node:path';
import { quote } from '@writ/core';

/** Programs whose arguments are about files that are not looked for where a preview looks for them. */
interface Elsewhere {
  /** Names of the programs, without a folder, lower case. */
  readonly names: RegExp;
  /** One of the arguments is like this; absent: whatever they are. */
  readonly argument?: RegExp;
  /** Where the files are that it is about. */
  readonly where: string;
}

const MACHINE = 'on another machine, or in another system on this one';
const FOLDER = 'in another folder, which an option names';

const ELSEWHERE: readonly Elsewhere[] = [
  { names: /^(?:ssh|autossh|mosh|rsh|nsenter|chroot|systemd-nspawn)$/, where: MACHINE },
  {
    names:
      /^(?:docker|podman|nerdctl|crictl|kubectl|oc|lxc|incus|machinectl|multipass|limactl|vagrant|flatpak|docker-compose)$/,
    argument: /^(?:exec|run|debug|shell|ssh|winrm)$/,
    where: MACHINE,
  },
  {
    names: /^(?:g?make|bmake|ninja|(?:g|bsd|s)?tar|env|cargo|go|pnpm|ctest)$/,
    argument: /^(?:-[A-Za-z]*C|--dir(?:ectory)?(?:=|$)|--chdir(?:=|$))/,
    where: FOLDER,
  },
  {
    names: /^(?:npm|yarn|bun|composer|terraform|tofu|sudo)$/,
    argument: /^(?:--prefix|--cwd|--chdir|-chdir|-D|--working-dir)(?:=|$)/,
    where: FOLDER,
  },
];

/** Options of git in front of its command, of those that have a value behind them. */
const GIT_VALUED: readonly string[] = ['-C', '-c', '--git-dir', '--work-tree', '--namespace', '--config-env'];
const GIT_FOLDER = /^(?:-C|--git-dir|--work-tree)(?:=|$)/;

/**
 * Where the files are that a command is about, where that is not where they are looked for; undefined: it is.
 * INVARIANT: 5 a file of the same name here is not what a yes is about.
 */
export function elsewhereReason([first = '', ...args]: readonly string[]): string | undefined {
  const name = basename(first);
  const where = name === 'git' ? whereOfGit(args) : whereOf(name.toLowerCase(), args);
  return where && `${quote(name)} works ${where}: programs and relative files that are listed here may be others there`;
}

function whereOf(name: string, args: readonly string[]): string | undefined {
  const isAbout = ({ names, argument }: Elsewhere): boolean =>
    names.test(name) && (argument === undefined || args.some((one) => argument.test(one)));
  return ELSEWHERE.find(isAbout)?.where;
}

/** The same letters behind its command mean something else. */
function whereOfGit(args: readonly string[]): string | undefined {
  return ownOptionsOfGit(args).some((one) => GIT_FOLDER.test(one)) ? FOLDER : undefined;
}

function ownOptionsOfGit(args: readonly string[]): readonly string[] {
  const own: string[] = [];
  for (let at = 0; args[at]?.startsWith('-') === true; at += 1) {
    const option = args[at] ?? '';
    own.push(option);
    if (GIT_VALUED.includes(option)) at += 1;
  }
  return own;
}
