import { isWritError, quote } from '@writ/core';
import { hasNode } from '../../home.ts';
import type { ServiceStatus } from '../../service/service.ts';
import { type Finding, fine, type Look } from './types.ts';

const CHECK = 'service';

/** Looks whether the node is started at login. */
export const lookAtService: Look = async ({ context: { environment, home } }) => {
  if (!hasNode(home) || environment.homeDir === undefined) return [];
  const [{ describeService, serviceStatus }, { openClientWorld }] = await Promise.all([
    import('../../service/service.ts'),
    import('../../clients/world.ts'),
  ]);
  try {
    const service = describeService(home, environment, process.platform);
    return [serviceFinding(await serviceStatus(service, openClientWorld(environment).execute))];
  } catch (error) {
    // No service manager that is known, or a path that none can start from.
    if (!isWritError(error, 'BAD_REQUEST')) throw error;
    return [{ check: CHECK, state: 'note', says: error.message, mend: error.nextSteps }];
  }
};

/** What is to be said of the service of a node. */
export function serviceFinding({ kind, file, installed, active }: ServiceStatus): Finding {
  const check = CHECK;
  const install = 'writ service install';
  if (installed === 'yes') {
    return fine(check, `${kind} starts the node at login${active ? '' : '; this one it did not start'}`);
  }
  if (installed === 'no') return { check, state: 'note', says: 'nothing starts the node at login', mend: [install] };
  return { check, state: 'warning', says: `${quote(file)} starts another program, or was changed`, mend: [install] };
}
