import type { BuiltInRule, RulePack } from '../types.ts';
import { optionNames, SAYS, wordList } from './option-names.ts';

const MACHINES = ['virsh', 'qm', 'pct', 'lxc', 'incus', 'multipass', 'vagrant', 'limactl'];
/** What the first word means to each, which is another thing for every one. */
const MACHINE_COMMANDS: Readonly<Record<string, MachineCommands>> = {
  virsh: {
    looks: 'list dominfo domstate version nodeinfo net-list pool-list vol-list',
    runs: 'start shutdown reboot resume suspend autostart',
    removes: 'destroy undefine reset snapshot-revert snapshot-delete vol-delete pool-delete vol-wipe',
  },
  'qm pct': {
    looks: 'list status config',
    ...{ runs: 'start stop shutdown reboot resume suspend', removes: 'destroy rollback reset' },
  },
  'lxc incus': { looks: 'list ls info version', runs: 'start stop restart', removes: 'delete rm' },
  multipass: { looks: 'list ls info version', runs: 'start stop restart suspend', removes: 'delete purge' },
  // Whatever it is asked, it obeys the file of its folder first, which is a program.
  vagrant: { looks: 'global-status', looksNeed: ['shell'], removes: 'destroy' },
  limactl: { looks: 'list ls info', runs: 'start stop restart', removes: 'delete rm unlink factory-reset' },
};

interface MachineCommands {
  readonly looks: string;
  /** What a look needs besides. */
  readonly looksNeed?: readonly string[];
  readonly runs?: string;
  readonly removes: string;
}

/** A name: a file says what runs with the machine, and another server what the name means. */
const MACHINE_NAME = /^[\w-]+(?:\.(?!ya?ml$)[\w-]+)*$/;

function machineRules(
  names: string,
  { looks, looksNeed = [], runs, removes }: MachineCommands,
): readonly BuiltInRule[] {
  const programs = wordList(names);
  const [first = ''] = programs;
  const about = { programs, plainOperands: MACHINE_NAME, notExamples: [[first, 'of-tomorrow']] };
  const named = (words: string): Pick<BuiltInRule, 'words' | 'examples'> => ({
    words: [wordList(words)],
    examples: programs.flatMap((program) => wordList(words).map((word) => [program, word])),
  });
  const target = { kind: 'machine', from: 1 };
  const needs = ['manage_services'];
  const name = `infrastructure.${first}`;
  return [
    {
      ...about,
      ...named(looks),
      notExamples: [
        ...about.notExamples,
        ...programs.map((program) => [program, '-f', 'list', removes.split(' ')[0] ?? '']),
      ],
      name: `${name}-read`,
      most: 1,
      class: 'read',
      needs: ['inspect_status', ...looksNeed],
    },
    ...(runs === undefined
      ? []
      : [{ ...about, ...named(runs), name: `${name}-run`, class: 'config-mutation', needs, target } as const]),
    {
      ...about,
      ...named(removes),
      name: `${name}-remove`,
      class: 'destructive',
      needs: ['destructive', ...needs],
      target,
    },
  ];
}

const TERRAFORM = ['terraform', 'tofu'];

/** Infrastructure as code, and the lives of virtual machines and system containers. */
export const infrastructurePack: RulePack = {
  topic: 'infrastructure',
  programs: [
    {
      names: ['terraform', 'tofu'],
      singleDash: true,
      flags: wordList(
        '-no-color -json -input -lock -refresh -refresh-only -compact-warnings -detailed-exitcode -raw -concise -check -diff -recursive -write -list -version -help',
      ),
      valued: wordList('-lock-timeout -parallelism -target -replace -var -var-file'),
      answers: [...SAYS, '-version', '-help', '-v', '-h'],
      explains: '-help',
    },
    {
      names: ['terragrunt'],
      singleDash: true,
      flags: wordList('-no-color -json -input -version -help'),
      answers: ['--version'],
    },
    {
      names: ['virsh'],
      flags: optionNames('qr', '--quiet --readonly'),
      behindCommand: { flags: wordList('--all --title --details --name --uuid --table --graceful') },
    },
    {
      names: ['qm', 'pct'],
      behindCommand: { flags: wordList('--skiplock --purge --forceStop --overrule-shutdown'), valued: ['--timeout'] },
    },
    {
      names: ['lxc', 'incus', 'multipass', 'vagrant', 'limactl'],
      // In front of the command an option that a program does not know takes the word behind it.
      behindCommand: { flags: wordList('-f --force --all -p --purge --json'), valued: ['--format'] },
      answers: ['--version'],
    },
    {
      names: ['ansible', 'ansible-playbook', 'pulumi', 'aws', 'gcloud', 'az', 'doctl', 'hcloud', 'packer'],
      answers: ['--version'],
    },
  ],
  rules: [
    {
      name: 'infrastructure.terraform-read',
      programs: TERRAFORM,
      words: [['plan', 'show', 'output', 'validate', 'graph', 'providers', 'metadata']],
      firstNot: /^(lock|mirror)$/,
      class: 'read',
      // Providers are programs of the folder, its data may name others, and what keeps the state may, too.
      needs: ['inspect_status', 'shell'],
      examples: [
        ['terraform', 'plan'],
        ['terraform', 'output', '-json'],
      ],
      notExamples: [
        ['terraform', 'apply'],
        ['terraform', 'plan', '-out=x'],
        ['terraform', 'plan', '-option-of-tomorrow=./x'],
        ['terraform', 'providers', 'mirror', 'x'],
      ],
    },
    {
      name: 'infrastructure.terraform-version',
      programs: TERRAFORM,
      words: [['version']],
      class: 'read',
      needs: ['inspect_status'],
      examples: [['terraform', 'version', '-json']],
      notExamples: [['terraform', 'plan']],
    },
    {
      name: 'infrastructure.terraform-list',
      programs: TERRAFORM,
      words: [
        ['state', 'workspace'],
        ['list', 'show', 'pull'],
      ],
      class: 'read',
      needs: ['inspect_status', 'shell'],
      examples: [
        ['terraform', 'state', 'list'],
        ['terraform', 'workspace', 'show'],
      ],
      notExamples: [['terraform', 'state', 'rm', 'x']],
    },
    {
      name: 'infrastructure.terraform-change',
      programs: TERRAFORM,
      words: [['init', 'refresh', 'import', 'get']],
      class: 'config-mutation',
      needs: ['manage_services', 'shell'],
      examples: [['terraform', 'init']],
      notExamples: [['terraform', 'apply']],
    },
    {
      name: 'infrastructure.terraform-workspace',
      programs: TERRAFORM,
      words: [['workspace']],
      firstNot: /^(?:list|show)$/,
      class: 'config-mutation',
      needs: ['manage_services', 'shell'],
      examples: [['terraform', 'workspace', 'new', 'x']],
      notExamples: [['terraform', 'workspace', 'show']],
    },
    {
      name: 'infrastructure.terraform-format',
      programs: TERRAFORM,
      words: [['fmt']],
      written:
        /^\nfmt(?:\n-(?:recursive|diff|no-color|list=(?:true|false)|write=true)|\n(?:\.|(?![-/])[\w./-]*[\w-]))*$/,
      class: 'config-mutation',
      needs: ['edit_repo'],
      writes: { from: 1 },
      examples: [
        ['terraform', 'fmt'],
        ['terraform', 'fmt', '-recursive', 'modules'],
      ],
      notExamples: [
        ['terraform', 'fmt', '-check'],
        ['terraform', '-chdir=/x', 'fmt'],
      ],
    },
    {
      name: 'infrastructure.terraform-format-check',
      programs: TERRAFORM,
      words: [['fmt']],
      written:
        /^\nfmt(?:\n-(?:recursive|diff|no-color))*\n-check(?:\n-(?:recursive|diff|no-color|check)|\n(?!-)[^\n…]+)*$/,
      reads: true,
      class: 'read',
      needs: ['read_repo'],
      examples: [['terraform', 'fmt', '-check', '-recursive']],
      notExamples: [['terraform', 'fmt']],
    },
    {
      name: 'infrastructure.terraform-apply',
      programs: TERRAFORM,
      // A plan may replace and destroy; the command does not say. Providers and provisioners are programs.
      words: [['apply', 'destroy', 'taint', 'untaint', 'force-unlock', 'console', 'run-all', 'test', 'login']],
      class: 'destructive',
      needs: ['destructive', 'manage_services', 'shell'],
      examples: [
        ['terraform', 'destroy', '-auto-approve'],
        ['terraform', 'apply'],
        ['tofu', 'apply'],
      ],
      notExamples: [['terraform', 'plan']],
    },
    {
      name: 'infrastructure.terraform-remove',
      programs: TERRAFORM,
      words: [
        ['state', 'workspace'],
        ['rm', 'mv', 'push', 'replace-provider', 'delete'],
      ],
      class: 'destructive',
      needs: ['destructive', 'manage_services', 'shell'],
      examples: [
        ['terraform', 'state', 'rm', 'x'],
        ['terraform', 'workspace', 'delete', 'x'],
      ],
      notExamples: [['terraform', 'state', 'list']],
    },
    {
      name: 'infrastructure.terragrunt',
      programs: ['terragrunt'],
      // Its files name commands that run before and after, and while they are read.
      class: 'destructive',
      needs: ['destructive', 'manage_services', 'shell'],
      examples: [['terragrunt', 'plan']],
      notExamples: [['terraform', 'plan']],
    },
    ...Object.entries(MACHINE_COMMANDS).flatMap(([names, commands]) => machineRules(names, commands)),
    {
      name: 'infrastructure.machine-enter',
      programs: MACHINES,
      // What runs inside, what a file or another server says that a machine runs, and an editor.
      operand: /^(exec|shell|ssh|enter|console|launch|create|edit|monitor|guest|restore|migrate|push|transfer)$/,
      class: 'destructive',
      needs: ['destructive', 'manage_services', 'shell'],
      examples: [
        ['lxc', 'exec', 'web', 'id'],
        ['pct', 'enter', '100'],
        ['multipass', 'launch', '--cloud-init', 'x'],
        ['virsh', 'create', 'x.xml'],
      ],
      notExamples: [['virsh', 'start', 'web']],
    },
    {
      name: 'infrastructure.machine-takes',
      programs: MACHINES,
      operand:
        /^(?:(?:pool|net|iface)-(?:destroy|undefine)|(?:nwfilter|secret)-undefine|checkpoint-delete|managedsave-remove|delsnapshot|prune)$/,
      class: 'destructive',
      needs: ['destructive', 'manage_services', 'shell'],
      examples: [
        ['virsh', 'pool-destroy', 'x'],
        ['qm', 'delsnapshot', '1', 'x'],
        ['limactl', 'prune'],
      ],
      notExamples: [['virsh', 'start', 'x']],
    },
    {
      name: 'infrastructure.machine-parts',
      programs: ['lxc', 'incus'],
      words: [
        ['storage', 'image', 'network', 'profile', 'project', 'cluster', 'config', 'remote', 'alias', 'snapshot'],
        ['delete', 'rm', 'remove', 'unset', 'restore', 'set'],
      ],
      class: 'destructive',
      needs: ['destructive', 'manage_services', 'shell'],
      examples: [['lxc', 'storage', 'delete', 'x']],
      notExamples: [['lxc', 'delete', 'x']],
    },
    {
      name: 'infrastructure.machine-program',
      programs: ['vagrant'],
      // A Vagrantfile is a program, and every command runs it.
      writtenNot: /^\nglobal-status$/,
      class: 'destructive',
      needs: ['destructive', 'manage_services', 'shell'],
      examples: [
        ['vagrant', 'up'],
        ['vagrant', 'status'],
      ],
      notExamples: [['vagrant', 'global-status']],
    },
    {
      name: 'infrastructure.cloud',
      programs: ['ansible', 'ansible-playbook', 'pulumi', 'aws', 'gcloud', 'az', 'doctl', 'hcloud', 'packer'],
      // What lies behind these is a world of its own, and nothing here knows its words; some of them run commands.
      class: 'destructive',
      needs: ['destructive', 'manage_services', 'shell'],
      examples: [
        ['aws', 's3', 'rm', 's3://x'],
        ['ansible', 'all', '-m', 'shell', '-a', 'id'],
        ['ansible-playbook', 'x.yaml'],
        ['gcloud', 'projects', 'delete', 'x'],
      ],
      notExamples: [['virsh', 'list']],
    },
  ],
};
