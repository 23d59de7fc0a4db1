import type { RulePack } from '../types.ts';
import { optionNames } from './option-names.ts';

const CLIENTS = ['psql', 'mysql', 'mariadb'];
const OTHERS = [
  'sqlite3',
  'duckdb',
  'clickhouse-client',
  'redis-cli',
  'mongosh',
  'mongo',
  'dropdb',
  'pg_restore',
  'mysqladmin',
  'sqlcmd',
  'sqlplus',
];
const TEXT = ['-c', '-e', '--command', '--execute'];
/** Options that read a file, write one, or run something. */
const BESIDES = [
  '-f',
  '--file',
  '-o',
  '--output',
  '-L',
  '--log-file',
  '-v',
  '--set',
  '--variable',
  '--init-command',
  '--tee',
  '--pager',
  '--plugin-dir',
  '--defaults-file',
  '--defaults-extra-file',
];

/** One text at least is given, and none holds a word with which a client or a server runs another program. */
const PLAIN =
  /^(?![\s\S]*(?:\\|\b(?:program|system|source|pager|edit|tee|language|load|xp_cmdshell|delimiter)\b))[\s\S]*\n(?:-[A-Za-z]*[ec]|--command|--execute)/i;

/** SQL clients, by the words of the text that they are given. */
export const sqlPack: RulePack = {
  topic: 'sql',
  programs: [
    {
      names: ['psql'],
      valued: [
        '-c',
        '--command',
        '-d',
        '--dbname',
        '-h',
        '--host',
        '-U',
        '--username',
        '-p',
        '--port',
        '-f',
        '--file',
        '-o',
        '--output',
        '-L',
        '-v',
        '-F',
        '-P',
        '-R',
      ],
      flags: optionNames(
        'tAxqXwEa',
        '--csv --tuples-only --no-align --quiet --expanded --no-psqlrc --no-password --html',
      ),
    },
    {
      names: ['mysql', 'mariadb'],
      valued: ['-e', '--execute', '-h', '--host', '-u', '--user', '-D', '--database', '-P', '--port'],
      flags: optionNames('NBtsHXvfr', '--batch --skip-column-names --silent --raw --table --vertical --html'),
    },
    { names: OTHERS },
  ],
  rules: [
    {
      name: 'sql.read',
      programs: CLIENTS,
      sql: { of: TEXT, is: 'read' },
      except: BESIDES,
      class: 'read',
      needs: ['read_files'],
      examples: [
        ['psql', '-c', 'select 1'],
        ['mysql', '-e', 'show tables', 'app'],
        ['psql', '-c', "select a, count(*) from t where b = 'x;y' group by a"],
      ],
      notExamples: [
        ['psql', '-c', 'drop table users'],
        ['psql', '-c', 'select pg_terminate_backend(1)'],
        ['psql', '-c', 'select 1', '-c', 'drop table t'],
        ['psql', '-c', 'select 1; drop table t'],
        ['psql', '-c', 'select * into b from a'],
        ['psql', '-c', 'select 1', '-f', 'x.sql'],
      ],
    },
    {
      name: 'sql.change',
      programs: CLIENTS,
      sql: { of: TEXT, is: 'config-mutation' },
      except: BESIDES,
      class: 'config-mutation',
      needs: ['edit_system'],
      target: { kind: 'database', option: '-d|--dbname|-D|--database', within: ['-h|--host'] },
      examples: [
        ['psql', '-c', 'insert into t values (1)'],
        ['mysql', '-e', 'create table t (a int)'],
        ['psql', '-c', 'select setval(1, 2)'],
      ],
      notExamples: [
        ['psql', '-c', 'drop table t'],
        ['psql', '-c', 'select 1'],
      ],
    },
    {
      name: 'sql.take',
      programs: CLIENTS,
      sql: { of: TEXT, is: 'destructive' },
      class: 'destructive',
      needs: ['destructive'],
      target: { kind: 'database', option: '-d|--dbname|-D|--database', within: ['-h|--host'] },
      examples: [
        ['psql', '-c', 'drop table users'],
        ['psql', '-f', 'x.sql'],
        ['psql'],
        ['psql', '-c', '\\! rm x'],
        ['psql', '-c', 'update t set a = 1'],
        ['psql', '-c', 'select 1', '-c', 'delete from t'],
      ],
      notExamples: [['psql', '-c', 'select 1']],
    },
    {
      name: 'sql.escapes',
      programs: CLIENTS,
      // A text that leaves SQL: commands of the client behind a backslash, a program of the server, or a text that is not in the command.
      writtenNot: PLAIN,
      class: 'destructive',
      needs: ['destructive', 'shell'],
      examples: [
        ['psql', '-c', '\\! rm x'],
        ['psql', '-c', "copy x to program 'id'"],
        ['mysql', '-e', 'system id'],
        ['mysql', '-e', 'source x'],
        ['psql'],
      ],
      notExamples: [
        ['psql', '-c', 'drop table users'],
        ['psql', '-d', 'app', '--command=delete from t'],
      ],
    },
    {
      name: 'sql.besides',
      programs: CLIENTS,
      options: BESIDES,
      class: 'destructive',
      needs: ['destructive', 'shell'],
      examples: [['psql', '-c', 'select 1', '-o', '/etc/x']],
      notExamples: [['psql', '-c', 'select 1']],
    },
    {
      name: 'sql.other-client',
      programs: OTHERS,
      except: ['--version', '-version', '--help'],
      class: 'destructive',
      needs: ['destructive'],
      examples: [
        ['sqlite3', 'a.db', '.shell rm x'],
        ['redis-cli', 'flushall'],
        ['dropdb', 'app'],
      ],
      notExamples: [['redis-cli', '--version']],
    },
    {
      name: 'sql.other-runs',
      programs: OTHERS.filter((name) => name !== 'dropdb'),
      // Each reads texts in which a word of its own runs a program, or loads one, and more of them where none is given.
      except: ['--version', '-version', '--help'],
      writtenNot:
        /^\n(?:flush(?:all|db)|get|set|del|keys|info|ping|dbsize|exists|ttl|expire|status|version|processlist)(?:\n(?!-).*)*$/i,
      class: 'destructive',
      needs: ['destructive', 'shell'],
      examples: [
        ['sqlite3', 'a.db', '.shell rm x'],
        ['mongosh', '--eval', 'x'],
      ],
      notExamples: [
        ['redis-cli', 'flushall'],
        ['mysqladmin', 'status'],
      ],
    },
  ],
};
