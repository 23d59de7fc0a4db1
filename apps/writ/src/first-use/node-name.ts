import { foldName } from '@writ/core';

/** What a node is called unless somebody says otherwise: the first part of the host's name. */
export function nameFromHost(host: string): string {
  return foldName((host.split('.')[0] ?? '').replace(/[^A-Za-z0-9._-]/g, '-').replace(/^[^A-Za-z0-9]+/, '')) ?? 'node';
}
