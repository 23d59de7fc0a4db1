import type { BuiltInRule } from '../types.ts';

/** A server of this machine: its name, a loopback address, or the folder of a socket. Behind a comma another one is named. */
const HERE = '(?:localhost|127(?:\\.\\d{1,3}){3}|::1|\\/[^\\n,]*)';
const ELSEWHERE = new RegExp(`^(?!${HERE}$)`);
/** An address in which another machine is named. */
const FAR = /:\/\/(?!(?:[^@/]*@)?(?:localhost|127\.0\.0\.1)(?::\d+)?(?:\/|$))[^/]/;
const NAMES_HOST = new RegExp(`^(?:\\n[^\\n]*)*?\\n(?:-h\\n?|--host[\\n=])(?!${HERE}(?:\\n|$))[^\\n]+(?:\\n[^\\n]*)*$`);

/** What the client asks for is for other rules to say. */
type Far = Pick<BuiltInRule, 'class' | 'needs'>;
const REACHES: Far = { class: 'read', needs: ['use_network'] };
const CLIENTS = ['psql', 'mysql', 'mariadb'];

/** Rules about clients that are told another machine; each command is one of another rule too. */
export const SQL_FAR: readonly BuiltInRule[] = [
  {
    ...REACHES,
    name: 'sql.far',
    programs: [...CLIENTS, 'dropdb'],
    value: { of: ['-h', '--host'], matches: ELSEWHERE },
    examples: [
      ['psql', '-h', 'db.example.org', '-c', 'select 1'],
      ['mysql', '-hdb.example.org', '-e', 'show tables'],
      ['psql', '-h', '/run/postgresql,db.example.org', '-c', 'select 1'],
    ],
    notExamples: [
      ['psql', '-h', 'localhost', '-c', 'select 1'],
      ['psql', '-h', '/run/postgresql', '-c', 'select 1'],
      ['mysql', '-h', '127.0.0.1', '-e', 'show tables'],
    ],
  },
  {
    ...REACHES,
    name: 'sql.far-ready',
    programs: ['pg_isready'],
    value: { of: ['-h', '--host'], matches: ELSEWHERE },
    most: 0,
    examples: [
      ['pg_isready', '-h', 'db.example.org'],
      ['pg_isready', '-h', '/run/postgresql,db.example.org'],
    ],
    notExamples: [['pg_isready'], ['pg_isready', '-h', '/run/postgresql'], ['pg_isready', '-h', 'db.example.org', 'x']],
  },
  {
    ...REACHES,
    name: 'sql.far-address',
    programs: CLIENTS,
    operand: FAR,
    examples: [
      ['psql', '-c', 'select 1', 'postgres://db.example.org/x'],
      ['psql', '-c', 'select 1', 'postgres://localhost:1@db.example.org/x'],
    ],
    notExamples: [
      ['psql', '-c', 'select 1', 'app'],
      ['psql', '-c', 'select 1', 'postgres://me@localhost:5432/x'],
      ['psql', '-c', 'select 1', 'postgres:///x'],
    ],
  },
  {
    ...REACHES,
    name: 'sql.far-database',
    programs: CLIENTS,
    value: { of: ['-d', '--dbname', '-D', '--database'], matches: FAR },
    examples: [['psql', '-d', 'postgres://db.example.org/x', '-c', 'select 1']],
    notExamples: [['psql', '-d', 'app', '-c', 'select 1']],
  },
  {
    ...REACHES,
    name: 'sql.far-cache',
    programs: ['redis-cli'],
    written: NAMES_HOST,
    examples: [['redis-cli', '-h', 'cache.example.org', 'get', 'x']],
    notExamples: [
      ['redis-cli', 'ping'],
      ['redis-cli', '-h', '127.0.0.1', 'ping'],
    ],
  },
  {
    ...REACHES,
    name: 'sql.far-server',
    programs: ['mysqladmin'],
    written: NAMES_HOST,
    examples: [
      ['mysqladmin', '-hdb.example.org', 'ping'],
      ['mysqladmin', '--host=db.example.org', 'ping'],
    ],
    notExamples: [['mysqladmin', '-h', 'localhost', 'ping']],
  },
];
