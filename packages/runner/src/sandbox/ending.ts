import { ENDING_FD } from '../spawner/told-ending.ts';

/**
 * The first process of a sandbox hands on a signal as the exit status 128 + n, as a program may exit by itself. A shell says
 * which signal ended its child (on its standard error, and in bash only outside of its POSIX mode), so that one is put
 * between them, and says on `ENDING_FD` what it saw: words of its own for a signal, then `exited` in any case. What is
 * meant for a whole process group leaves it as it is; the program finds each of these signals as it would have been. Of
 * SIGINT and SIGPIPE shells say nothing, so that these two stay an exit status.
 */
const SCRIPT = `(set +o posix) 2>/dev/null && set +o posix
trap : HUP INT QUIT ALRM TERM USR1 USR2 PIPE
exec 7>&2 2>&${ENDING_FD} ${ENDING_FD}>&-
(exec "$@" 2>&7 7>&-)
status=$?
echo exited >&2
exit $status`;

/** The argument vector that runs another one and tells how it ended. */
export function tellingEnding(argv: readonly string[]): readonly string[] {
  return ['/bin/sh', '-c', SCRIPT, 'sandbox', ...argv];
}
