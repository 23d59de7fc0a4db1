import { describe, expect, it } from 'vitest';
import { testGrammar } from '../testing/shell-grammar.ts';
import { createCommandClassifier } from './classify.ts';
import { PACKS } from './packs/index.ts';
import { wordList } from './packs/option-names.ts';

const classifier = createCommandClassifier({ grammar: await testGrammar() });
const classify = (text: string) => classifier.classify(text.split(' '), { host: 'self', cwd: '/w', workspace: '/w' });
const lines = (text: string): readonly string[] => text.trim().split('\n');

/** Changes that hold an option, a word or an argument by which something goes, or somebody is let in. */
const TAKES_AWAY = lines(`
apt-get upgrade --autoremove --purge -y
apt-get install --auto-remove x
apt-get install -f
apt-get dist-upgrade
apt full-upgrade
dnf upgrade --allowerasing
zypper install --force-resolution x
aptitude install jq_
aptitude install ~napache_
zypper install !jq
zypper install -- -jq
apk add !jq
kubectl config delete-user x
kubectl config delete-cluster x
kubectl config delete-context x
kubectl config unset users.x
docker logout registry.example
helm repo remove x
modprobe -r x
modprobe --remove x
fsck -y /dev/sdb1
git fetch origin +a:b
git pull origin +a:b
git fetch --prune-tags
git remote update -p
git switch --force-create main x
git switch -C main x
git worktree add -B main x
git mv -f a b
setfacl -m o::rw a
setfacl -m u:x:rwx /etc/shadow
setfacl -m m::rwx a
setfacl --set u::rw a
setfacl --restore=x
zypper rm jq
zypper dup
npm r x
npm unlink x
dnf rm x
dnf swap a b
dnf dsync
dnf history undo 1
dnf module remove x
virsh pool-destroy x
virsh net-undefine x
qm delsnapshot 1 x
lxc storage delete x
lxc image delete x
limactl prune
docker service scale x=0
docker buildx history rm --all
podman kube down x
podman volume import x y
kubectl label --overwrite pod x a=b
kubectl annotate --overwrite pod x a=b
kubectl taint --overwrite node x a=b
git switch -m x
gem install -i /etc x
gem install -n /usr/bin x
git merge --abort
git am --abort
git cherry-pick --skip
git worktree repair /etc/x
helm repo index /x
sysctl kernel.core_pattern=|/tmp/x
sysctl -e kernel.modprobe=/tmp/x
sysctl -f ./x
ip route d default
ip r d default
ip ro f all
ip a f dev eth0
ip l d eth0
ip rule f
ip netns d x
ip link s eth0 down
mount -o bind x /usr/bin`);

const STAYS = lines(`
apt-get upgrade -y
apt-get install -y g++ libstdc++6
apk add --no-cache jq
zypper install -y jq
kubectl config use-context x
docker login
helm repo add x https://example.org
modprobe x
git fetch origin a:b
git switch -c x
git worktree add -b x x
git mv a b
setfacl -R -m u:x:r-x /etc/x
setfacl -m u:x:rwx a
setfacl -m u::rwx,g::rw,o::r a
setfacl -x u:x a
mount /mnt/x
mount -o remount,rw /
mount -o ro /dev/sdb1 /mnt/x
mount UUID=1-2 /media/x
mount -t tmpfs tmpfs /mnt/x`);

/** Where the programs of the machine are would be others, or an image holds programs that run as root. */
const RUNS = lines(`
mount -o bind x /usr/bin
mount -B x /usr/bin
mount -M a /usr/bin
mount --bind x /usr/bin
mount -o loop x.img /mnt
mount x.img /mnt
mount ./x.img /mnt/x
mount /dev/sdb1 /usr/bin
mount /dev/sdb1 /mnt/../usr/bin
mount -t tmpfs tmpfs /etc
mount /dev/../w/x.img /mnt
mount -t overlay overlay /mnt
virsh migrate web qemu+ext:///system?command=./p
virsh destroy qemu+ext:///system?command=./p`);

/** Names of one option, for each program, or command of one, that has it. */
const SAME: Readonly<Record<string, readonly string[]>> = {
  git: wordList('-f=--force -d=--delete'),
  'git fetch': wordList('-p=--prune -P=--prune-tags'),
  'git switch': wordList('-C=--force-create --discard-changes=--force'),
  apt: wordList('-f=--fix-broken'),
  'apt-get': wordList('-f=--fix-broken'),
  modprobe: wordList('-r=--remove -C=--config -d=--dirname'),
  dpkg: wordList('-r=--remove -P=--purge'),
  rpm: wordList('-e=--erase'),
  pacman: wordList('-R=--remove -D=--database -S=--sync -U=--upgrade'),
  sysctl: wordList('-w=--write -p=--load'),
};

describe('what takes away', () => {
  it.each(TAKES_AWAY)('is destructive: %s', (text) => {
    const { class: is, needs } = classify(text);
    expect(is).toBe('destructive');
    expect(needs).toContain('destructive');
  });

  it.each(STAYS)('is none of %s', (text) => expect(classify(text).class).toBe('config-mutation'));

  it.each(RUNS)('needs the shell where others run from then on: %s', (text) =>
    expect(classify(text).needs).toEqual(expect.arrayContaining(['destructive', 'shell'])),
  );

  const strict = PACKS.flatMap(({ rules }) => rules).filter((rule) => rule.class === 'destructive' && rule.options);
  it.each(strict.map((rule) => [rule.name, rule] as const))('%s knows an option by all its names', (_, rule) => {
    const { programs, words: [words = []] = [], options = [] } = rule;
    const commands = programs.flatMap((program) => [program, ...words.map((word) => `${program} ${word}`)]);
    for (const pair of commands.flatMap((command) => SAME[command] ?? [])) {
      const names = pair.split('=');
      expect([pair, names.filter((name) => options.includes(name)).length]).not.toEqual([pair, 1]);
    }
  });
});
