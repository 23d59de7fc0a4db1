import { readFileSync } from 'node:fs';
import { loadServices } from '@writ/wire';
import { describe, expect, it } from 'vitest';
import { checkMethodTable, METHOD_TABLE } from './method-table.ts';

const services = loadServices();

describe('method table', () => {
  it('has an entry for every method of the proto and of the health service, and no other', () => {
    const proto = readFileSync(new URL('../../../proto/writ/mesh/v1/mesh.proto', import.meta.url), 'utf8');
    const declared = [...proto.matchAll(/^ {2}rpc (\w+)\(/gm)].map(([, name]) => `/writ.mesh.v1.MeshService/${name}`);
    const health = ['Check', 'Watch', 'List'].map((name) => `/grpc.health.v1.Health/${name}`);
    expect(Object.keys(METHOD_TABLE).sort()).toEqual([...declared, ...health].sort());
  });

  it('stops the start-up where a method has no entry', () => {
    const { '/writ.mesh.v1.MeshService/Cancel': _, ...rest } = METHOD_TABLE;
    expect(() => checkMethodTable(services, rest)).toThrow('/writ.mesh.v1.MeshService/Cancel');
    expect(() => checkMethodTable(services)).not.toThrow();
  });

  it('stops the start-up where an entry has no method', () => {
    const entry = METHOD_TABLE['/writ.mesh.v1.MeshService/Cancel'];
    if (entry === undefined) throw new Error('no entry');
    expect(() => checkMethodTable(services, { ...METHOD_TABLE, '/gone': entry })).toThrow('/gone');
  });

  it('opens nothing but Redeem to a node that is not pinned', () => {
    const open = Object.entries(METHOD_TABLE).filter(([, { authentication }]) => authentication !== 'pinned');
    expect(open.map(([path]) => path)).toEqual(['/writ.mesh.v1.MeshService/Redeem']);
  });

  it('bounds how many calls of each method one caller may have open', () => {
    for (const { limits } of Object.values(METHOD_TABLE)) {
      expect(limits.maxOpen).toBeGreaterThan(0);
      expect(limits.cost).toBeGreaterThan(0);
    }
  });
});
