import { describe, expect, it } from 'vitest';
import { classOfSql, runsNothing } from './sql-text.ts';

describe('what a text for an SQL client does', () => {
  it.each([
    ['select 1', 'read'],
    [';;select 1;; ', 'read'],
    ["select 'drop table x'", 'read'],
    ['select "Drop" from t', 'read'],
    ['SELECT count(*) FROM t WHERE a IN (1, 2)', 'read'],
    ['show tables', 'read'],
    ['select a from t; select b from t', 'read'],
    ['insert into t values (1)', 'config-mutation'],
    ['select * into x from t', 'config-mutation'],
    ['select pg_reload_conf()', 'config-mutation'],
    ['select "f"(1)', 'config-mutation'],
    ['select 1; create table x (a int)', 'config-mutation'],
    ['drop table x', 'destructive'],
    ['with a as (delete from t) select 1', 'destructive'],
    ['create table x (a int); drop table y', 'destructive'],
    ['alter table x drop column a', 'destructive'],
    ['alter table x add column a int', 'config-mutation'],
    ['alter table if exists only a.b add a decimal(1, 2), rename to c', 'config-mutation'],
    ['alter index x rename to y', 'config-mutation'],
    ['alter table users alter column email type text using null', 'destructive'],
    ['alter table x discard tablespace', 'destructive'],
    ['alter table x import tablespace', 'destructive'],
    ['alter table x modify a tinyint', 'destructive'],
    ['alter table x change a b int', 'destructive'],
    ['alter table x add a int, modify b tinyint', 'destructive'],
    ['alter table x exchange partition p with table y', 'destructive'],
    ['alter table x', 'destructive'],
    ['alter database x rename to y', 'destructive'],
    ['select evil.count(1)', 'config-mutation'],
    ['select public . lower(a) from t', 'config-mutation'],
    ['select evil.in (1)', 'config-mutation'],
    ['select count(1) from a.b', 'read'],
    ['explain select 1', 'destructive'],
    ['select 1 -- x', 'destructive'],
    ['select 1 /* x */', 'destructive'],
    ["select '\\' || x", 'destructive'],
    ['select $$x$$', 'destructive'],
    ['', 'destructive'],
    [' ; ; ', 'destructive'],
  ])('%j is %s', (text, is) => {
    expect(classOfSql(text)).toBe(is);
  });
});

describe('a text for an SQL client', () => {
  it.each([
    'select 1',
    'drop table users',
    'delete from t',
    'update t set a = 1',
    'insert into t (a, b) values (1, now())',
    'create table t (a int primary key, b varchar(20) references x (y))',
    'create unique index i on t (a)',
    'grant all on x to y',
    'truncate t; drop index i',
  ])('runs nothing else: %s', (text) => expect(runsNothing(text)).toBe(true));

  it.each([
    "copy x to program 'id'",
    "copy (select 1) to '/etc/x'",
    '\\! id',
    'system id',
    'select 1; system id',
    "select pg_read_file('/etc/passwd')",
    "select * from a join b on pg_read_file('x') = ''",
    "create table t as select * from lo_import('/x')",
    'create table t (a int default f())',
    "select 1 into outfile '/etc/x'",
    "create function f() returns int language c as 'x'",
    'create extension x',
    'select evil.count(1)',
    'create table t (a int default evil.int(1))',
    'grant pg_execute_server_program to me',
    "alter system set archive_command = 'id'",
    "alter database x set session_preload_libraries = 'x'",
    "set global general_log_file = '/etc/x'",
    "load 'x'",
    'do $$ begin end $$',
    'select :x',
    '',
  ])('may run something else: %s', (text) => expect(runsNothing(text)).toBe(false));
});
