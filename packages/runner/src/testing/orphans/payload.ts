const QUIET = '>/dev/null 2>&1 </dev/null';

/** Tries to get hold of the first process of its namespace, which ends with whoever started the sandbox. */
const SEIZE = [
  'import ctypes',
  'libc = ctypes.CDLL(None)',
  'libc.ptrace(16, 1, 0, 0)',
  'try: open("/proc/1/mem", "r+b", buffering=0)',
  'except OSError: pass',
].join('\n');

/**
 * A shell script whose children leave their session twice, fork twice and are deaf to TERM, HUP and INT; all of them have
 * `id` in their argument vector. It says `up`, and ends when there is a file `go`.
 */
export function fleeing(id: string, isConfined: boolean): string {
  const beat = `: ${id}; while :; do sleep 0.05; done`;
  const deaf = `trap "" TERM HUP INT; setsid sh -c "trap : TERM; ${beat}" & ${beat}`;
  // Where nothing but its marks could find it, it keeps one of them.
  const shed = isConfined ? `env -i setsid sh -c '${deaf}' ${QUIET} 3>&-` : `setsid sh -c '${deaf}' ${QUIET}`;
  const seize = isConfined ? `/usr/bin/python3 -c '${SEIZE}';` : '';
  return `( (cd /; exec ${shed}) & ) & ${seize} trap : TERM; : ${id}; echo up; until test -e go; do sleep 0.01; done`;
}
