import { describe, expect, it } from 'vitest';
import { testGrammar } from '../testing/shell-grammar.ts';
import { createCommandClassifier } from './classify.ts';

const classifier = createCommandClassifier({ grammar: await testGrammar() });
const needsOf = (argv: readonly string[]) =>
  classifier.classify(argv, { host: 'self', cwd: '/w', workspace: '/w' }).needs;

describe('a program or a text that an argument gives to be run', () => {
  it.each([
    [['awk', 'BEGIN{system("id")}']],
    [['gawk', '-f', 'x.awk', '{print}']],
    [['sed', '1e x']],
    [['sed', 's/x/id/e', 'x']],
    [['sed', '-f', 'x']],
    [['git', '-c', 'alias.x=!id', 'x']],
    [['git', 'bisect', 'run', 'id']],
    [['git', 'rebase', '--exec', 'id', 'HEAD']],
    [['git', 'rebase', '-x', 'id', '-f', 'HEAD']],
    [['git', 'submodule', 'foreach', 'id']],
    [['git', 'clone', '--upload-pack=./p', '.', 'x']],
    [['git', 'clone', '-u', './p', '.', 'x']],
    [['git', 'fetch', '--upload-pack=./p', '--prune']],
    [['git', 'push', '--force', '--receive-pack=./p', 'origin', 'main']],
    [['git', 'push', '--exec=./p', 'origin', 'main']],
    [['git', 'notes', 'edit']],
    [['git', 'config', '--edit']],
    [['git', 'config', '-e']],
    [['git', 'branch', '--edit-description']],
    [['tar', '-xf', 'x', '--to-command=id']],
    [['tar', '-cf', 'x', '--checkpoint-action=exec=id', '.']],
    [['tar', '-I', 'id', '-xf', 'x']],
    [['tar', 'xIf', 'id', 'x']],
    [['zip', '-TT', 'id', 'x', 'y']],
    [['rsync', '-e', 'id', 'a', 'b:c']],
    [['rsync', '--rsh=id', 'a', 'b:c']],
    [['scp', '-S', './p', 'a', 'b:c']],
    [['scp', '-oProxyCommand=id', 'a', 'b:c']],
    [['install', '--strip-program=./p', '-s', 'a', 'b']],
    [['sqlite3', 'x.db', '.shell id']],
    [['psql', '-c', '\\!id']],
    [['psql', '-c', "COPY x TO PROGRAM 'id'"]],
    [['mysql', '-e', '\\! id']],
    [['mysql', '-e', 'system id']],
    [['psql', '-f', 'x.sql']],
    [['nc', '-e', 'id', 'x', '1']],
    [['ip', 'netns', 'exec', 'x', 'id']],
    [['ip', '-b', 'x']],
    [['find', '.', '-exec', 'awk', 'BEGIN{system("id")}', ';']],
  ])('%j needs the shell', (argv) => expect(needsOf(argv)).toContain('shell'));

  it.each([
    [['awk', '{print $1}', 'a']],
    [['sed', '-n', '1,5p', 'a']],
    [['git', 'push', '--force', 'origin', 'main']],
    [['git', 'clean', '-fdx']],
    [['git', 'stash', 'drop']],
    [['git', 'commit', '-m', 'x']],
    [['tar', '-xzf', 'a.tar.gz']],
    [['tar', 'xf', 'a.tar']],
    [['rsync', '-a', '--delete', 'a/', 'b/']],
    [['scp', 'a', 'host:b']],
    [['install', 'a', 'b']],
    [['psql', '-c', 'drop table users']],
    [['psql', '-d', 'app', '-c', 'delete from t']],
    [['psql', '-tAc', 'select 1']],
    [['unzip', '-o', 'a.zip']],
    [['redis-cli', 'flushall']],
    [['dropdb', 'app']],
    [['ip', 'link', 'set', 'eth0', 'down']],
  ])('%j does what it says, and runs nothing else', (argv) => expect(needsOf(argv)).not.toContain('shell'));
});
