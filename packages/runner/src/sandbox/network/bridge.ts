import { basename, dirname } from 'node:path';

/** Where a proxy is found inside a sandbox, whose loopback is its own. */
const PORT = 3128;

/**
 * Leads connections of the sandbox's own loopback to the proxy's socket, waits until that works, then becomes the program. The
 * socket's folder is entered: its path could hold what socat takes for options.
 */
const SCRIPT = `bridge=$1 folder=$2 socket=$3; shift 3
(cd "$folder" && exec "$bridge" TCP4-LISTEN:${PORT},bind=127.0.0.1,fork,reuseaddr UNIX-CONNECT:"$socket" >/dev/null 2>&1 </dev/null &)
tries=0
until "$bridge" -u OPEN:/dev/null TCP4:127.0.0.1:${PORT} >/dev/null 2>&1; do
  tries=$((tries + 1))
  test $tries -lt 1000 || { echo "the way to the network could not be opened" >&2; exit 1; }
  sleep 0.01
done
exec "$@"`;

/** The argument vector that runs another one with a way to the proxy; `socat` is an absolute path. */
export function bridgedArgv(socat: string, socket: string, argv: readonly string[]): readonly string[] {
  return ['/bin/sh', '-c', SCRIPT, 'bridge', socat, dirname(socket), basename(socket), ...argv];
}

/** What tells programs about the proxy. */
export function proxyEnvironment(): Readonly<Record<string, string>> {
  const proxy = `http://127.0.0.1:${PORT}`;
  const local = 'localhost,127.0.0.1,::1';
  return {
    ...{ http_proxy: proxy, https_proxy: proxy, HTTP_PROXY: proxy, HTTPS_PROXY: proxy },
    ...{ no_proxy: local, NO_PROXY: local },
    // Node.js from 24 on heeds the others only with this.
    NODE_USE_ENV_PROXY: '1',
  };
}
