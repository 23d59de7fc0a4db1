import type { KnownOptions, RulePack } from '../types.ts';
import { CONTAINERS_FAR } from './containers-far.ts';
import { behind, knownOptions, LEADS_OUT, optionNames, SAYS, wordList } from './option-names.ts';

const ENGINES = ['docker', 'podman', 'nerdctl'];
const KINDS = wordList(
  'container image volume network system builder compose context buildx manifest plugin service stack swarm node secret config pod machine',
);
const LOOKS = wordList('ps images logs inspect stats top port version info diff history search events');
const LOOKS_OF_KIND = wordList('ls list inspect ps logs df top stats history config version images port');

/** The same behind `docker` and behind `docker container`. */
function ofContainers(commands: string, known: KnownOptions): Readonly<Record<string, KnownOptions>> {
  return behind(
    wordList(commands).flatMap((command) => [command, `container ${command}`]),
    known,
  );
}

const LOOK_NAMES =
  '--all --no-trunc --quiet --no-stream --size --timestamps --details --digests --human --verbose --services --tree --pod';
const LOOK = knownOptions('DqavstNl', LOOK_NAMES, '-f -n --format --filter --tail --since --until --last');
/** Here the letter follows. */
const LOGS = knownOptions('fDqavstN', `--follow ${LOOK_NAMES}`, '-n --format --tail --since --until');
const BUILD = knownOptions(
  'q',
  '--quiet --no-cache --pull --progress= --rm --force-rm --squash',
  '-t --tag --target --platform --label',
);
const PRUNE = knownOptions('af', '--all --force --volumes --filter=');
const DOWN = knownOptions('fsv', '--force --stop --volumes --remove-orphans --timeout=', '-t');

/** Not among them: files and arguments of a build, settings of a driver, other engines, and what is run or mounted. */
const COMMANDS = {
  ...behind([...LOOKS, ...KINDS.flatMap((kind) => LOOKS_OF_KIND.map((look) => `${kind} ${look}`))], LOOK),
  ...behind(['logs', ...KINDS.map((kind) => `${kind} logs`)], LOGS),
  ...ofContainers('rm', knownOptions('fvlai', '--force --volumes --link --all --latest --ignore')),
  ...ofContainers('kill', knownOptions('a', '--all --latest', '-s --signal')),
  ...ofContainers('stop restart', knownOptions('ai', '--all --latest --ignore', '-t --time --timeout -s --signal')),
  ...ofContainers(
    'update',
    knownOptions('', '', '-m --memory --memory-swap --cpus --cpu-shares --restart --pids-limit'),
  ),
  ...ofContainers('cp', knownOptions('aLq', '--archive --follow-link --quiet')),
  ...behind(['export', 'save'], knownOptions('', '', '-o --output')),
  ...behind(['rmi', 'image rm'], knownOptions('f', '--force --no-prune')),
  ...behind(['build', 'buildx build', 'image build'], BUILD),
  pull: knownOptions('qa', '--quiet --all-tags --platform='),
  push: knownOptions('qa', '--quiet --all-tags --platform='),
  login: knownOptions('', '--password-stdin', '-u --username -p --password'),
  commit: knownOptions('p', '--pause', '-a --author -m --message'),
  ...behind(
    [
      'system prune',
      'image prune',
      'container prune',
      'volume prune',
      'network prune',
      'builder prune',
      'buildx prune',
    ],
    PRUNE,
  ),
  'volume rm': knownOptions('f', '--force'),
  'network rm': knownOptions('f', '--force'),
  'network disconnect': knownOptions('f', '--force'),
  'network create': knownOptions(
    '',
    '--internal --attachable --ipv6',
    '-d --driver --subnet --gateway --ip-range --label',
  ),
  'volume create': knownOptions('', '', '--name --label'),
  ...behind(['compose down', 'compose rm', 'compose kill'], DOWN),
  ...behind(['compose stop', 'compose restart'], knownOptions('', '', '-t --timeout')),
  'compose pull': knownOptions('q', '--quiet --ignore-pull-failures'),
};

/** docker, podman and their like. */
export const containersPack: RulePack = {
  topic: 'containers',
  programs: [
    {
      names: ENGINES,
      valued: wordList('--context -l --log-level'),
      flags: optionNames('D', '--debug'),
      commands: COMMANDS,
      elsewhere: wordList('-l --latest --filter -a --all --pod'),
      answers: [...SAYS, '-v', 'help', 'compose version', 'buildx version', ...KINDS.map((kind) => `${kind} --help`)],
      explains: '--help',
    },
    {
      names: ['docker-compose', 'podman-compose'],
      valued: ['-p', '--project-name'],
      // In front of the command an option of it takes that for its value.
      behindCommand: knownOptions(
        'qv',
        '--quiet --all --services --no-color --no-log-prefix --timestamps --volumes --remove-orphans --timeout=',
      ),
      commands: { ...behind(wordList('ps config images top version port'), LOOK), logs: LOGS },
      answers: [...SAYS, '-v', 'version', 'help'],
      explains: '--help',
    },
  ],
  rules: [
    {
      name: 'containers.read',
      programs: ENGINES,
      words: [LOOKS],
      class: 'read',
      needs: ['inspect_status'],
      examples: [
        ['docker', 'ps'],
        ['docker', 'logs', '-f', 'web'],
        ['podman', 'inspect', 'web'],
      ],
      notExamples: [
        ['docker', 'rm', 'web'],
        ['docker', '--odd', 'ps', 'rm'],
        ['docker', 'ps', '--option-of-tomorrow=./x'],
        ['docker', '--config', './x', 'ps'],
      ],
    },
    {
      name: 'containers.list',
      programs: ENGINES,
      words: [KINDS, LOOKS_OF_KIND],
      class: 'read',
      needs: ['inspect_status'],
      examples: [
        ['docker', 'container', 'ls'],
        ['docker', 'system', 'df'],
        ['docker', 'compose', 'ps'],
      ],
      notExamples: [
        ['docker', 'system', 'prune'],
        ['docker', 'compose', '--odd', 'down', 'ps'],
      ],
    },
    {
      name: 'containers.run',
      programs: ENGINES,
      words: [['start', 'restart', 'stop', 'pause', 'unpause', 'rename', 'update', 'wait']],
      class: 'config-mutation',
      needs: ['manage_services'],
      target: { kind: 'container', from: 1, withinIfGiven: ['--context'] },
      examples: [
        ['docker', 'restart', 'web'],
        ['docker', '--context', 'prod', 'stop', 'web'],
      ],
      notExamples: [['docker', 'rm', 'web']],
    },
    {
      name: 'containers.run-long',
      programs: ENGINES,
      words: [['container'], ['start', 'restart', 'stop', 'pause', 'unpause', 'rename', 'update', 'wait']],
      class: 'config-mutation',
      needs: ['manage_services'],
      target: { kind: 'container', from: 2, withinIfGiven: ['--context'] },
      examples: [['docker', 'container', 'restart', 'web']],
      notExamples: [['docker', 'container', 'rm', 'web']],
    },
    {
      name: 'containers.build',
      programs: ENGINES,
      words: [['build', 'pull', 'push', 'tag', 'login', 'commit', 'load', 'import']],
      reads: LEADS_OUT,
      class: 'config-mutation',
      needs: ['manage_services'],
      examples: [
        ['docker', 'build', '.'],
        ['docker', 'pull', 'x'],
      ],
      notExamples: [['docker', 'run', 'x']],
    },
    {
      name: 'containers.change-kind',
      programs: ENGINES,
      words: [['buildx', 'network', 'volume']],
      firstNot: /^(?:ls|list|inspect|version)$/,
      class: 'config-mutation',
      needs: ['manage_services'],
      examples: [
        ['docker', 'network', 'create', 'x'],
        ['docker', 'buildx', 'build', '.'],
      ],
      notExamples: [
        ['docker', 'network', 'ls'],
        ['docker', 'volume', 'inspect', 'x'],
      ],
    },
    {
      name: 'containers.compose-run',
      programs: ENGINES,
      // What is there already goes on or stops; `up` makes anew what a file of the folder says.
      words: [['compose'], ['start', 'restart', 'stop', 'pause', 'unpause', 'pull']],
      class: 'config-mutation',
      needs: ['manage_services'],
      examples: [
        ['docker', 'compose', 'restart', 'web'],
        ['docker', 'compose', 'stop'],
      ],
      notExamples: [
        ['docker', 'compose', 'up', '-d'],
        ['docker', 'compose', 'down'],
      ],
    },
    {
      name: 'containers.enter',
      programs: ENGINES,
      // What runs inside, and which folders of this machine it is given, is not looked into.
      words: [['run', 'exec', 'attach', 'create']],
      class: 'destructive',
      needs: ['destructive', 'manage_services', 'shell'],
      examples: [
        ['docker', 'run', '-v', '/:/x', 'alpine', 'rm', '-rf', '/x'],
        ['docker', 'exec', 'web', 'sh'],
        ['docker', 'create', 'alpine', 'id'],
      ],
      notExamples: [
        ['docker', 'ps'],
        ['docker', 'start', 'web'],
      ],
    },
    {
      name: 'containers.enter-kind',
      programs: ENGINES,
      words: [KINDS, ['run', 'exec', 'attach', 'ssh']],
      class: 'destructive',
      needs: ['destructive', 'manage_services', 'shell'],
      examples: [
        ['docker', 'compose', 'exec', 'web', 'sh'],
        ['docker', 'container', 'run', 'x'],
        ['podman', 'machine', 'ssh', 'id'],
      ],
      notExamples: [['docker', 'compose', 'ps']],
    },
    {
      name: 'containers.copy',
      programs: ENGINES,
      words: [['cp', 'export', 'save']],
      reads: true,
      class: 'destructive',
      needs: ['destructive', 'manage_services'],
      examples: [['docker', 'cp', 'web:/a', 'b']],
      notExamples: [['docker', 'exec', 'web', 'sh']],
    },
    {
      name: 'containers.sends',
      programs: ENGINES,
      words: [['push', 'login']],
      class: 'config-mutation',
      needs: ['manage_services', 'use_network'],
      examples: [
        ['docker', 'push', 'registry.example/x'],
        ['docker', 'login', 'registry.example'],
      ],
      notExamples: [['docker', 'pull', 'x']],
    },
    ...CONTAINERS_FAR,
    {
      name: 'containers.takes-many',
      programs: ENGINES,
      // None of a service is left, or others run.
      words: [
        ['service', 'kube', 'buildx', 'volume'],
        ['scale', 'down', 'rollback', 'history', 'import'],
      ],
      class: 'destructive',
      needs: ['destructive', 'manage_services', 'shell'],
      examples: [
        ['docker', 'service', 'scale', 'x=0'],
        ['podman', 'kube', 'down', 'x'],
        ['docker', 'buildx', 'history', 'rm', '--all'],
        ['podman', 'volume', 'import', 'x', 'y.tar'],
      ],
      notExamples: [['docker', 'service', 'ls']],
    },
    {
      name: 'containers.remove',
      programs: ENGINES,
      words: [['rm', 'kill']],
      class: 'destructive',
      needs: ['destructive', 'manage_services'],
      target: { kind: 'container', from: 1, withinIfGiven: ['--context'] },
      examples: [
        ['docker', 'rm', '-f', 'web'],
        ['docker', 'kill', 'web'],
      ],
      notExamples: [['docker', 'stop', 'web']],
    },
    {
      name: 'containers.sign-out',
      programs: ENGINES,
      words: [['logout']],
      class: 'destructive',
      needs: ['destructive', 'manage_services'],
      examples: [['docker', 'logout', 'registry.example']],
      notExamples: [['docker', 'login']],
    },
    {
      name: 'containers.remove-image',
      programs: ENGINES,
      words: [['rmi']],
      class: 'destructive',
      needs: ['destructive', 'manage_services'],
      target: { kind: 'image', from: 1, withinIfGiven: ['--context'] },
      examples: [['docker', 'rmi', 'web:1']],
      notExamples: [['docker', 'images']],
    },
    {
      name: 'containers.remove-kind',
      programs: ENGINES,
      words: [
        KINDS,
        ['rm', 'remove', 'prune', 'kill', 'delete', 'reset', 'down', 'disconnect', 'leave', 'cp', 'disable'],
      ],
      class: 'destructive',
      needs: ['destructive', 'manage_services'],
      examples: [
        ['docker', 'system', 'prune', '-af'],
        ['docker', 'volume', 'rm', 'x'],
        ['docker', 'compose', 'down', '-v'],
      ],
      notExamples: [['docker', 'system', 'df']],
    },
    {
      name: 'containers.compose-read',
      programs: ['docker-compose', 'podman-compose'],
      words: [['ps', 'logs', 'config', 'images', 'top', 'version', 'port']],
      class: 'read',
      needs: ['inspect_status'],
      examples: [['docker-compose', 'ps']],
      notExamples: [
        ['docker-compose', 'down'],
        ['docker-compose', '--volumes', 'ps', 'down'],
      ],
    },
    {
      name: 'containers.compose-down',
      programs: ['docker-compose', 'podman-compose'],
      words: [['down', 'rm', 'kill']],
      class: 'destructive',
      needs: ['destructive', 'manage_services'],
      examples: [['docker-compose', 'down', '-v']],
      notExamples: [['docker-compose', 'up', '-d']],
    },
    {
      name: 'containers.compose-enter',
      programs: ['docker-compose', 'podman-compose'],
      words: [['run', 'exec']],
      class: 'destructive',
      needs: ['destructive', 'manage_services', 'shell'],
      examples: [['docker-compose', 'exec', 'web', 'sh']],
      notExamples: [['docker-compose', 'down']],
    },
  ],
};
