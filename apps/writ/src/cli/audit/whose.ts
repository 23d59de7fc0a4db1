import { readOfflineTrust } from '../../lifecycle/offline-trust.ts';
import type { CliContext } from '../context.ts';

/**
 * Whose log it is, as far as this home can tell: a signature proves who somebody is, not that it is the one whom the reader
 * means.
 */
export async function whoseLog(
  { home, environment }: Pick<CliContext, 'home' | 'environment'>,
  node: string,
): Promise<{ readonly name: string; readonly notes: readonly string[] }> {
  if (node === '') return { name: 'nobody knows whom', notes: [] };
  const known = await readOfflineTrust(home, environment).catch(() => undefined);
  if (known?.trust.self.id === node) return { name: `this node, ${node}`, notes: [] };
  if (known?.trust.pins.get(node) !== undefined) return { name: `${known.labelOf(node)}, ${node}`, notes: [] };
  return { name: node, notes: ['this home does not know that node: compare its id with what its person says'] };
}
