import { digestJson, type Json } from '@writ/core';
import type { Action } from './types.ts';

/**
 * SHA-256 of an action, hex: canonical JSON of every part, none optional, so that two different actions differ.
 * INVARIANT: 5 what is approved is this digest, and what runs has the same one.
 */
export function digestAction({ request, programs, files, directory, environment }: Action): string {
  const { network } = request;
  const whole: Json = {
    is: 'writ action 2',
    origin: request.origin,
    session: request.session,
    agent: request.agent,
    argv: request.argv,
    inner: request.inner,
    stdin: request.stdin ?? null,
    profile: request.profile,
    runner: request.runner,
    network: typeof network === 'string' ? network : { hosts: network },
    isolation: request.isolation,
    target: request.target ?? null,
    programs: programs.map((file) => ({ ...file })),
    files: files.map((file) => ({ ...file })),
    directory: { ...directory },
    environment: environment.map((variable) => ({ ...variable })),
  };
  return digestJson(whole);
}
