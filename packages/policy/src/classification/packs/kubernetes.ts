import type { BuiltInRule, RulePack } from '../types.ts';
import { CLUSTER_FILES, HELM_LOOKS } from './kubernetes-files.ts';
import { behind, knownOptions, wordList } from './option-names.ts';

const CONTEXT = ['--context|--kube-context', '--namespace|-n'];

/** Kinds of which a name, with cluster and namespace, is one thing. */
const DELETABLE = wordList('deployment pod service statefulset daemonset job cronjob configmap secret ingress pvc');
const LOOKS = wordList(
  'get describe logs top explain version api-resources api-versions cluster-info events diff options wait',
);

const HELM_LIST = /^(?:list|ls)$/;

const LOOK = knownOptions(
  'Awp',
  '--all-namespaces --watch --show-labels --previous --no-headers --ignore-not-found --all-containers --prefix --timestamps --follow --show-kind --client --containers --all --list --minify --short',
  '-o --output -l --selector -f --filename -c --container --tail --since --field-selector --sort-by -L --label-columns',
);
const CHOSEN = '--all --all-namespaces --dry-run --recursive --overwrite --local';
const CHOSEN_VALUED = '-l --selector -f --filename -o --output --field-selector --timeout --grace-period';

/** What `create` knows itself; for another word it runs a program of that name, a path included. */
const CREATABLE = wordList(
  'clusterrole clusterrolebinding configmap cm cronjob cj deployment deploy ingress ing job namespace ns poddisruptionbudget pdb priorityclass pc quota resourcequota role rolebinding secret service svc serviceaccount sa token',
);

/** Not the kinds that read a template of a file. */
const SHOWN = /^(?:json|yaml|wide|name|(?:custom-columns|jsonpath|jsonpath-as-json|go-template|template)=[^\n]*)$/;

const BELOW_LOOKS = [
  ['rollout', ['status', 'history']],
  ['config', ['view', 'get-contexts', 'current-context', 'get-clusters', 'get-users']],
  ['auth', ['can-i', 'whoami']],
] as const;
const BELOW = [
  ...wordList('status history restart undo pause resume').map((word) => `rollout ${word}`),
  ...wordList('can-i whoami reconcile').map((word) => `auth ${word}`),
];
const BELOW_CONFIG = wordList(
  'view get-contexts current-context get-clusters get-users use-context set-context rename-context delete-context delete-cluster delete-user unset',
).map((word) => `config ${word}`);

/** Not among them: patches and overrides, which may name what runs, other clusters, and files of values. */
const COMMANDS = {
  ...behind(LOOKS, LOOK),
  // Here the letter takes nothing, and what stands behind it in one word is options.
  logs: { valued: LOOK.valued?.filter((name) => name !== '-f') ?? [], flags: [...(LOOK.flags ?? []), '-f'] },
  wait: knownOptions('A', '--all --all-namespaces', '--for --timeout -l --selector -f --filename --field-selector'),
  ...behind(
    BELOW,
    knownOptions('wR', '--watch --list --quiet --all --dry-run', `${CHOSEN_VALUED} --revision --to-revision`),
  ),
  // In front of the second word an option would take it for its value, or does not exist.
  ...behind(BELOW_CONFIG, knownOptions('', '--minify --current --no-headers --merge --flatten --raw', '-o --output')),
  apply: knownOptions(
    'R',
    `--prune --force --server-side --force-conflicts --wait --validate --record ${CHOSEN}`,
    `${CHOSEN_VALUED} --field-manager`,
  ),
  delete: knownOptions('AR', `--force --now --wait --cascade --ignore-not-found ${CHOSEN}`, CHOSEN_VALUED),
  create: knownOptions('R', `--from-literal= --save-config --validate ${CHOSEN}`, `${CHOSEN_VALUED} --type`),
  replace: knownOptions('R', `--force --wait --cascade --validate ${CHOSEN}`, CHOSEN_VALUED),
  ...behind(wordList('label annotate taint cordon uncordon'), knownOptions('R', `--list ${CHOSEN}`, CHOSEN_VALUED)),
  ...behind(
    wordList('scale autoscale expose'),
    knownOptions(
      'R',
      CHOSEN,
      `${CHOSEN_VALUED} --replicas --current-replicas --min --max --cpu-percent --port --target-port --protocol --name --type`,
    ),
  ),
  drain: knownOptions(
    '',
    `--ignore-daemonsets --delete-emptydir-data --force --disable-eviction ${CHOSEN}`,
    `${CHOSEN_VALUED} --pod-selector`,
  ),
  cp: knownOptions('', '--no-preserve', '-c --container --retries'),
};
const RELEASE =
  '--install --wait --wait-for-jobs --atomic --create-namespace --dry-run --reuse-values --reset-values --force --cleanup-on-fail --devel --generate-name --no-hooks --skip-crds --keep-history --ignore-not-found --logs --render-subchart-notes';
const RELEASE_VALUED = '--timeout --version --history-max --description -o --output';

/** kubectl and helm. Which cluster a bare name means can change under a command, so that only a named one makes a target. */
export const kubernetesPack: RulePack = {
  topic: 'kubernetes',
  programs: [
    {
      names: ['kubectl', 'oc'],
      valued: wordList('--context -n --namespace --cluster --request-timeout'),
      commands: COMMANDS,
      values: { '-o': SHOWN, '--output': SHOWN },
      elsewhere: wordList('--field-selector --cluster --all --all-namespaces -A -l --selector -f --filename'),
      answers: ['--help', '-h', 'help', 'rollout --help', 'config --help', 'auth --help'],
      explains: '--help',
    },
    {
      names: ['helm'],
      valued: wordList('--kube-context -n --namespace'),
      flags: ['--debug'],
      answers: ['--help', '-h', 'help'],
      explains: '--help',
      commands: {
        ...behind(
          [...HELM_LOOKS, 'repo', 'dependency', 'plugin'],
          knownOptions(
            'aAqdr',
            '--all --all-namespaces --short --date --reverse --deployed --failed --pending --versions --devel --client --uninstalled --superseded',
            '-o --output --version --revision --max -m --filter -l --selector',
          ),
        ),
        ...behind(wordList('install upgrade'), knownOptions('ig', RELEASE, RELEASE_VALUED)),
        ...behind(wordList('uninstall delete del un rollback test'), knownOptions('', RELEASE, RELEASE_VALUED)),
      },
    },
  ],
  rules: [
    {
      name: 'kubernetes.read',
      programs: ['kubectl', 'oc'],
      words: [LOOKS],
      class: 'read',
      needs: ['inspect_status'],
      examples: [
        ['kubectl', 'get', 'pods'],
        ['kubectl', '-n', 'x', 'logs', 'web'],
        ['kubectl', 'get', 'pods', '-A'],
      ],
      notExamples: [
        ['kubectl', 'delete', 'pod', 'x'],
        ['kubectl', '--odd', 'get', 'delete'],
        ['kubectl', 'get', 'pods', '--option-of-tomorrow=./x'],
      ],
    },
    ...BELOW_LOOKS.map(
      ([command, looks]): BuiltInRule => ({
        name: `kubernetes.${command}-read`,
        programs: ['kubectl', 'oc'],
        words: [[command], looks],
        class: 'read',
        needs: ['inspect_status'],
        examples: looks.map((look) => ['kubectl', command, look]),
        notExamples: [['kubectl', command, 'of-tomorrow']],
      }),
    ),
    {
      name: 'kubernetes.change',
      programs: ['kubectl', 'oc'],
      words: [
        wordList('apply create patch label annotate scale autoscale expose rollout cordon uncordon config taint'),
      ],
      firstNot: new RegExp(`^(?:${BELOW_LOOKS.flatMap(([, looks]) => looks).join('|')})$`),
      class: 'config-mutation',
      needs: ['manage_services'],
      examples: [
        ['kubectl', 'apply', '-f', 'x.yaml'],
        ['kubectl', 'scale', 'deployment/web', '--replicas', '2'],
        ['kubectl', 'rollout', 'restart', 'deployment/web'],
      ],
      notExamples: [
        ['kubectl', 'delete', 'pod', 'x'],
        ['kubectl', 'rollout', 'status', 'deployment/web'],
      ],
    },
    {
      name: 'kubernetes.apply-prune',
      programs: ['kubectl', 'oc'],
      words: [['apply', 'rollout', 'create', 'patch', 'scale', 'config', 'label', 'annotate', 'taint']],
      options: ['--prune', '--force', '--overwrite', '--force-conflicts'],
      class: 'destructive',
      needs: ['destructive', 'manage_services'],
      examples: [['kubectl', 'apply', '--prune', '-f', 'x.yaml']],
      notExamples: [['kubectl', 'apply', '-f', 'x.yaml']],
    },
    {
      name: 'kubernetes.delete',
      programs: ['kubectl', 'oc'],
      words: [['delete'], DELETABLE],
      class: 'destructive',
      needs: ['destructive', 'manage_services'],
      target: { kind: 'kubernetes', from: 2, within: [...CONTEXT, 1] },
      examples: [
        ['kubectl', 'delete', 'deployment', 'web'],
        ['kubectl', '--context', 'prod', '-n', 'x', 'delete', 'pod', 'a'],
      ],
      notExamples: [['kubectl', 'get', 'deployment', 'web']],
    },
    {
      name: 'kubernetes.other',
      programs: ['kubectl', 'oc'],
      words: [['drain', 'replace', 'cp', 'port-forward', 'proxy', 'certificate', 'plugin']],
      class: 'destructive',
      needs: ['destructive', 'manage_services'],
      examples: [['kubectl', 'drain', 'node1']],
      notExamples: [['kubectl', 'get', 'ns']],
    },
    {
      name: 'kubernetes.delete-other',
      programs: ['kubectl', 'oc'],
      words: [['delete']],
      firstNot: new RegExp(`^(${DELETABLE.join('|')})$`),
      class: 'destructive',
      needs: ['destructive', 'manage_services'],
      examples: [
        ['kubectl', 'delete', 'ns', 'x'],
        ['kubectl', 'delete', '-f', 'x.yaml'],
      ],
      notExamples: [['kubectl', 'delete', 'pod', 'x']],
    },
    {
      name: 'kubernetes.enter',
      programs: ['kubectl', 'oc'],
      // What runs inside is not looked into.
      words: [['exec', 'run', 'debug', 'attach', 'rsh']],
      class: 'destructive',
      needs: ['destructive', 'manage_services', 'shell'],
      examples: [
        ['kubectl', 'exec', 'web', '--', 'sh'],
        ['kubectl', 'run', 'x', '--image', 'y'],
      ],
      notExamples: [['kubectl', 'get', 'pods']],
    },
    {
      name: 'kubernetes.create-runs',
      programs: ['kubectl', 'oc'],
      words: [['create'], ['job', 'cronjob', 'cj', 'deployment', 'deploy']],
      class: 'config-mutation',
      needs: ['manage_services', 'shell'],
      examples: [['kubectl', 'create', 'job', 'x', '--image', 'y', '--', 'id']],
      notExamples: [['kubectl', 'create', 'namespace', 'x']],
    },
    {
      name: 'kubernetes.create-other',
      programs: ['kubectl', 'oc'],
      words: [['create']],
      firstNot: new RegExp(`^(?:${CREATABLE.join('|')})$`),
      least: 1,
      class: 'config-mutation',
      needs: ['manage_services', 'shell'],
      examples: [
        ['kubectl', 'create', 'x/b'],
        ['kubectl', 'create', '../evil'],
      ],
      notExamples: [
        ['kubectl', 'create', '-f', 'x.yaml'],
        ['kubectl', 'create', 'namespace', 'x'],
      ],
    },
    {
      name: 'kubernetes.sign-in',
      programs: ['kubectl', 'oc'],
      // The file of clusters names a program that signs in.
      words: [['config'], ['set', 'set-credentials']],
      class: 'config-mutation',
      needs: ['manage_services', 'shell'],
      examples: [['kubectl', 'config', 'set-credentials', 'x', '--exec-command=id']],
      notExamples: [['kubectl', 'config', 'use-context', 'x']],
    },
    {
      name: 'kubernetes.forget',
      programs: ['kubectl', 'oc'],
      // What signs in to a cluster is in the file of clusters alone.
      words: [['config'], ['delete-user', 'delete-cluster', 'delete-context', 'unset']],
      class: 'destructive',
      needs: ['destructive', 'manage_services'],
      examples: [['kubectl', 'config', 'delete-user', 'x']],
      notExamples: [['kubectl', 'config', 'use-context', 'x']],
    },
    {
      name: 'kubernetes.helm-plugin',
      programs: ['helm'],
      // A plugin is a program, with others that run when it is installed.
      words: [['plugin'], ['install', 'add', 'update', 'up']],
      class: 'destructive',
      needs: ['destructive', 'manage_services', 'shell'],
      examples: [['helm', 'plugin', 'install', 'x']],
      notExamples: [['helm', 'plugin', 'list']],
    },
    {
      name: 'kubernetes.helm-read',
      programs: ['helm'],
      words: [HELM_LOOKS],
      class: 'read',
      needs: ['inspect_status'],
      examples: [
        ['helm', 'list', '-A'],
        ['helm', 'status', 'web'],
      ],
      notExamples: [['helm', 'uninstall', 'web']],
    },
    {
      name: 'kubernetes.helm-change',
      programs: ['helm'],
      words: [['install', 'upgrade', 'repo', 'dependency', 'pull', 'package', 'push']],
      firstNot: HELM_LIST,
      class: 'config-mutation',
      needs: ['manage_services'],
      target: { kind: 'helm', only: 1, within: CONTEXT },
      examples: [['helm', 'upgrade', '-i', 'web', './chart']],
      notExamples: [
        ['helm', 'rollback', 'web'],
        ['helm', 'repo', 'list'],
      ],
    },
    {
      name: 'kubernetes.helm-lists',
      programs: ['helm'],
      words: [
        ['repo', 'dependency', 'plugin'],
        ['list', 'ls'],
      ],
      class: 'read',
      needs: ['inspect_status'],
      examples: [
        ['helm', 'repo', 'list'],
        ['helm', 'plugin', 'list'],
      ],
      notExamples: [['helm', 'repo', 'update']],
    },
    {
      name: 'kubernetes.helm-remove',
      programs: ['helm'],
      words: [['uninstall', 'delete', 'del', 'un', 'rollback', 'test']],
      class: 'destructive',
      needs: ['destructive', 'manage_services'],
      target: { kind: 'helm', from: 1, within: CONTEXT },
      examples: [
        ['helm', 'uninstall', 'web'],
        ['helm', 'rollback', 'web', '1'],
      ],
      notExamples: [['helm', 'status', 'web']],
    },
    {
      name: 'kubernetes.helm-plugin-change',
      programs: ['helm'],
      words: [['plugin']],
      firstNot: HELM_LIST,
      class: 'destructive',
      needs: ['destructive', 'manage_services'],
      examples: [['helm', 'plugin', 'uninstall', 'x']],
      notExamples: [['helm', 'plugin', 'list']],
    },
    {
      name: 'kubernetes.helm-lays',
      programs: ['helm'],
      words: [['pull', 'package', 'dependency']],
      firstNot: HELM_LIST,
      class: 'config-mutation',
      needs: ['manage_services'],
      writes: { folders: ['-d', '--destination', '--untardir'] },
      examples: [['helm', 'pull', 'x/y']],
      notExamples: [['helm', 'list']],
    },
    {
      name: 'kubernetes.helm-forget',
      programs: ['helm'],
      words: [
        ['repo', 'registry'],
        ['remove', 'rm', 'logout'],
      ],
      class: 'destructive',
      needs: ['destructive', 'manage_services'],
      examples: [['helm', 'repo', 'remove', 'x']],
      notExamples: [['helm', 'repo', 'update']],
    },
    {
      name: 'kubernetes.helm-force',
      programs: ['helm'],
      options: ['--force'],
      class: 'destructive',
      needs: ['destructive', 'manage_services'],
      examples: [['helm', 'upgrade', '--force', 'web', './chart']],
      notExamples: [['helm', 'upgrade', 'web', './chart']],
    },
    ...CLUSTER_FILES,
    {
      name: 'kubernetes.edit',
      programs: ['kubectl', 'oc'],
      // An editor, which is a program that a variable names, and what sets an image or a variable of what runs.
      operand: /^(edit|edit-last-applied|set)$/,
      class: 'config-mutation',
      needs: ['manage_services', 'shell'],
      examples: [
        ['kubectl', 'edit', 'deployment/web'],
        ['kubectl', 'apply', 'edit-last-applied', 'deployment/web'],
      ],
      notExamples: [['kubectl', 'apply', '-f', 'x.yaml']],
    },
  ],
};
