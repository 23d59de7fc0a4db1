import type { RulePack } from '../types.ts';
import { optionNames, wordList } from './option-names.ts';

const CLIENTS = ['psql', 'mysql', 'mariadb'];
/** Programs whose arguments are a command of a server. */
const SERVERS = ['redis-cli', 'mysqladmin'];
const OTHERS = wordList('sqlite3 duckdb clickhouse-client mongosh mongo pg_restore sqlcmd sqlplus');
/** A name, or an address without settings: a connection string may name a library to load, and files. */
const DATABASE = /^(?:[\w.-]+|postgres(?:ql)?:\/\/[\w.~!:@,[\]-]*(?:\/[\w.-]*)?)$/;
const TEXT = ['-c', '-e', '--command', '--execute'];

/** SQL clients, by the words of the text that they are given. */
export const sqlPack: RulePack = {
  topic: 'sql',
  programs: [
    {
      names: ['psql'],
      elsewhere: ['-p', '--port', '-U', '--username'],
      values: { '-d': DATABASE, '--dbname': DATABASE },
      valued: optionNames(
        'cdhUpFR',
        '--command --dbname --host --username --port --field-separator --record-separator',
      ),
      flags: optionNames(
        'tAxqXwEaeb',
        '--csv --tuples-only --no-align --quiet --expanded --no-psqlrc --no-password --html --single-transaction --echo-all --echo-queries --echo-errors',
      ),
    },
    {
      names: ['mysql', 'mariadb'],
      elsewhere: ['-P', '--port', '-u', '--user'],
      valued: optionNames('ehuDP', '--execute --host --user --database --port'),
      flags: optionNames(
        'NBtsHXvfr',
        '--batch --skip-column-names --silent --raw --table --vertical --html --xml --verbose --force',
      ),
    },
    {
      names: ['dropdb'],
      flags: optionNames('iefwW', '--interactive --echo --force --if-exists --no-password'),
      valued: optionNames('hUp', '--host --username --port'),
    },
    { names: [...SERVERS, ...OTHERS] },
  ],
  rules: [
    {
      name: 'sql.read',
      programs: CLIENTS,
      sql: { of: TEXT, is: 'read' },
      plainOperands: DATABASE,
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
      plainOperands: DATABASE,
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
      plainOperands: DATABASE,
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
        ['mysql', '-e', 'source x'],
        ['psql', '-c', "copy x to program 'id'"],
      ],
      notExamples: [['psql', '-c', 'select 1']],
    },
    {
      name: 'sql.files',
      programs: CLIENTS,
      // A file of texts is read, or one is written, maybe through a program.
      options: wordList('-f --file -o --output -L --log-file --tee --init-command'),
      class: 'destructive',
      needs: ['destructive', 'shell'],
      examples: [
        ['psql', '-c', 'select 1', '-o', '/etc/x'],
        ['psql', '-c', 'select 1', '-f', 'x.sql'],
      ],
      notExamples: [['psql', '-c', 'select 1']],
    },
    {
      name: 'sql.drop',
      programs: ['dropdb'],
      class: 'destructive',
      needs: ['destructive'],
      examples: [['dropdb', 'app']],
      notExamples: [['redis-cli', 'flushall']],
    },
    {
      name: 'sql.server',
      programs: SERVERS,
      writtenNot: /^\n(?:-v|--version|--help)$/,
      plain:
        /^\n(?:flush(?:all|db)|get|set|del|keys|info|ping|dbsize|exists|ttl|expire|status|version|processlist)(?:\n(?!-).*)*$/i,
      class: 'destructive',
      needs: ['destructive'],
      examples: [
        ['redis-cli', 'flushall'],
        ['mysqladmin', 'status'],
        ['redis-cli', '--eval', 'x'],
      ],
      notExamples: [['redis-cli', '--version']],
    },
    {
      name: 'sql.other-client',
      programs: OTHERS,
      writtenNot: /^\n(?:-v|--?version|--help)$/,
      // Each reads texts in which a word of its own runs a program, or loads one, and more of them where none is given.
      class: 'destructive',
      needs: ['destructive', 'shell'],
      examples: [
        ['sqlite3', 'a.db', '.shell rm x'],
        ['sqlite3', 'get', '.shell rm x'],
      ],
      notExamples: [['sqlite3', '--version']],
    },
  ],
};
