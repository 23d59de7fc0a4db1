import type { BuiltInRule, RulePack } from '../types.ts';
import { optionNames, SAYS, wordList } from './option-names.ts';
import { SQL_FAR } from './sql-far.ts';

const CLIENTS = ['psql', 'mysql', 'mariadb'];
const OTHERS = wordList('duckdb clickhouse-client mongosh mongo pg_restore sqlcmd sqlplus');
/** A name, or an address without settings: a connection string may name a library to load, and files. */
const DATABASE = /^(?:[\w.-]+|postgres(?:ql)?:\/\/[\w.~!:@,[\]-]*(?:\/[\w.-]*)?)$/;
/** Which server, by names and numbers. */
const REDIS_AT = '(?:\\n-[hpn]\\n[\\w.-]+)*';
const REDIS_LOOKS = new RegExp(
  `^${REDIS_AT}\\n(?:ping|info|dbsize|get|mget|strlen|exists|type|ttl|pttl|keys|scan|lrange|llen|hget|hgetall|hlen|smembers|scard|zrange|zcard|time|lastsave)(?:\\n(?!-)[^\\n…]*)*$`,
  'i',
);
/** Words that change data or a server, and load nothing. */
const REDIS_PLAIN = new RegExp(
  `^${REDIS_AT}\\n(?:flush(?:all|db)|set|setex|del|unlink|expire|persist|incr|decr|[lr]push|[lr]pop|hset|hdel|sadd|srem|zadd|zrem)(?:\\n(?!-)[^\\n…]*)*$`,
  'i',
);
const ADMIN_AT = '(?:\\n-[huP]\\n[\\w.-]+|\\n-[huP][\\w.-]+|\\n--(?:host|user|port)=[\\w.-]+)*';
const ADMIN_LOOKS = new RegExp(`^${ADMIN_AT}(?:\\n(?:ping|status|extended-status|processlist|variables|version))+$`);
const ADMIN_PLAIN = new RegExp(
  `^${ADMIN_AT}(?:\\n(?:flush-[a-z]+|refresh|reload|(?:create|drop)\\n\\w+|kill\\n\\d+))+$`,
);
/**
 * In front of the file: its views and triggers call no function that runs a program, and it is neither made nor mended. A file may come from
 * anybody; without `-safe` a view of it calls `edit`, without `-readonly` one that is not there is made.
 */
const LOOKS_AT_FILE = /^(?=(?:\n-[a-z]+)*\n-safe\n)(?=(?:\n-[a-z]+)*\n-readonly\n)/;
const LISTS_TABLES = new RegExp(
  `${LOOKS_AT_FILE.source}(?:\\n-(?:safe|readonly|batch))+\\n(?!-)[^\\n…]+\\n\\.(?:tables|schema|indexes|databases)(?: [\\w.%]+)?$`,
);
const PSQL_LISTS = /^(?:\n-[htUp]\n[\w.-]+)*\n(?:-l|--list)$/;
const TEXT = ['-c', '-e', '--command', '--execute'];

/** SQL clients, by the words of the text that they are given. */
export const sqlPack: RulePack = {
  topic: 'sql',
  programs: [
    {
      names: ['psql'],
      answers: [...SAYS, '-V'],
      elsewhere: ['-p', '--port', '-U', '--username'],
      values: { '-d': DATABASE, '--dbname': DATABASE },
      valued: optionNames(
        'cdhUpFR',
        '--command --dbname --host --username --port --field-separator --record-separator',
      ),
      flags: optionNames(
        'tAxqXwEaebl',
        '--csv --list --tuples-only --no-align --quiet --expanded --no-psqlrc --no-password --html --single-transaction --echo-all --echo-queries --echo-errors',
      ),
    },
    {
      names: ['mysql', 'mariadb'],
      answers: [...SAYS, '-V'],
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
    { names: ['redis-cli'], answers: [...SAYS, '-v'] },
    { names: ['mysqladmin'], answers: [...SAYS, '-V'] },
    { names: ['pg_isready'], flags: ['-q', '--quiet'], valued: optionNames('hpUt'), answers: [...SAYS, '-V'] },
    {
      names: ['sqlite3'],
      singleDash: true,
      flags: wordList(
        '-safe -readonly -header -noheader -csv -json -column -line -list -box -table -markdown -tabs -batch -bail',
      ),
      answers: ['-version', '--version', '-help', '--help'],
    },
    { names: OTHERS, answers: ['--version', '--help'] },
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
      writtenNot: PSQL_LISTS,
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
      notExamples: [['psql', '-c', 'drop database app']],
    },
    {
      name: 'sql.list',
      programs: ['psql'],
      written: PSQL_LISTS,
      class: 'read',
      needs: ['read_files'],
      examples: [
        ['psql', '-l'],
        ['psql', '-h', 'db', '-l'],
      ],
      notExamples: [['psql', '-l', '-o', 'x']],
    },
    {
      name: 'sql.redis-look',
      programs: ['redis-cli'],
      written: REDIS_LOOKS,
      class: 'read',
      needs: ['read_files'],
      examples: [
        ['redis-cli', 'ping'],
        ['redis-cli', '-h', 'cache', 'GET', 'a'],
      ],
      notExamples: [
        ['redis-cli', 'flushall'],
        ['redis-cli', 'config', 'set', 'dir', '/x'],
        ['redis-cli', '--eval', 'x'],
      ],
    },
    {
      name: 'sql.redis',
      programs: ['redis-cli'],
      writtenNot: REDIS_LOOKS,
      plain: REDIS_PLAIN,
      class: 'destructive',
      needs: ['destructive'],
      examples: [
        ['redis-cli', 'flushall'],
        ['redis-cli', 'set', 'a', 'b'],
        ['redis-cli', '--eval', 'x'],
      ],
      notExamples: [['redis-cli', 'ping']],
    },
    {
      name: 'sql.admin-look',
      programs: ['mysqladmin'],
      written: ADMIN_LOOKS,
      class: 'read',
      needs: ['inspect_status'],
      examples: [
        ['mysqladmin', 'status'],
        ['mysqladmin', '-u', 'root', 'processlist'],
      ],
      notExamples: [['mysqladmin', 'drop', 'app']],
    },
    {
      name: 'sql.admin',
      programs: ['mysqladmin'],
      writtenNot: ADMIN_LOOKS,
      plain: ADMIN_PLAIN,
      class: 'destructive',
      needs: ['destructive'],
      examples: [
        ['mysqladmin', 'drop', 'app'],
        ['mysqladmin', 'shutdown'],
        ['mysqladmin', 'status', 'get', 'x'],
      ],
      notExamples: [['mysqladmin', 'status']],
    },
    {
      name: 'sql.ready',
      programs: ['pg_isready'],
      most: 0,
      class: 'read',
      needs: ['inspect_status'],
      examples: [['pg_isready', '-h', 'db']],
      notExamples: [['pg_isready', '-d', 'sslkey=x']],
    },
    {
      name: 'sql.file-read',
      programs: ['sqlite3'],
      sql: { from: 1, is: 'read' },
      written: LOOKS_AT_FILE,
      class: 'read',
      needs: ['read_files'],
      examples: [
        ['sqlite3', '-safe', '-readonly', 'a.db', 'select * from t'],
        ['sqlite3', '-readonly', '-json', '-safe', 'a.db', 'select count(*) from t'],
      ],
      notExamples: [
        ['sqlite3', 'a.db', 'select * from t'],
        ['sqlite3', '-readonly', 'a.db', 'select * from t'],
        ['sqlite3', '-safe', 'a.db', 'select * from t'],
        ['sqlite3', 'a.db', 'select a\n-safe\n-readonly\n-a from t'],
        ['sqlite3', '-safe', '-readonly', 'a.db', "select writefile('x', 1)"],
        ['sqlite3', 'a.db', '.shell rm x'],
        ['sqlite3', 'a.db', 'select 1', '.shell rm x'],
        ['sqlite3', 'a.db', "select writefile('x', 1)"],
        ['sqlite3', '-cmd', '.shell id', 'a.db', 'select 1'],
        ['sqlite3', 'a.db'],
      ],
    },
    {
      name: 'sql.file-lists',
      programs: ['sqlite3'],
      written: LISTS_TABLES,
      class: 'read',
      needs: ['read_files'],
      examples: [
        ['sqlite3', '-safe', '-readonly', 'a.db', '.tables'],
        ['sqlite3', '-readonly', '-batch', '-safe', 'a.db', '.schema users'],
      ],
      notExamples: [
        ['sqlite3', 'a.db', '.tables'],
        ['sqlite3', '-safe', 'a.db', '.schema'],
        ['sqlite3', '-safe', '-readonly', 'a.db', '.tables', '.shell id'],
      ],
    },
    {
      name: 'sql.file-opens',
      programs: ['sqlite3'],
      sql: { from: 1, is: 'read' },
      writtenNot: LOOKS_AT_FILE,
      // What the text calls is seen, what the views of the file call is not.
      class: 'destructive',
      needs: ['destructive', 'shell'],
      examples: [
        ['sqlite3', 'a.db', 'select * from t'],
        ['sqlite3', '-readonly', 'a.db', 'select * from t'],
      ],
      notExamples: [['sqlite3', '-safe', '-readonly', 'a.db', 'select * from t']],
    },
    ...(['config-mutation', 'destructive'] as const).map(
      (is): BuiltInRule => ({
        name: `sql.file-${is === 'destructive' ? 'other' : 'calls'}`,
        programs: ['sqlite3'],
        sql: { from: 1, is },
        writtenNot: LISTS_TABLES,
        // A word of its own runs a program, a function loads one or writes a file, and more of them are read where no text is given.
        class: 'destructive',
        needs: ['destructive', 'shell'],
        examples: [
          is === 'destructive'
            ? ['sqlite3', 'get', '.shell rm x']
            : ['sqlite3', 'a.db', "select load_extension('./x')"],
        ],
        notExamples: [['sqlite3', '-safe', '-readonly', 'a.db', 'select 1']],
      }),
    ),
    ...SQL_FAR,
    {
      name: 'sql.other-client',
      programs: OTHERS,
      // Each reads texts in which a word of its own runs a program, or loads one, and more of them where none is given.
      class: 'destructive',
      needs: ['destructive', 'shell'],
      examples: [['duckdb', 'a.db', '.shell rm x']],
      notExamples: [['sqlite3', 'a.db', 'select 1']],
    },
  ],
};
