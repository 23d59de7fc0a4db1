import { describe, expect, it } from 'vitest';
import { classOfSql } from './sql-text.ts';

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
