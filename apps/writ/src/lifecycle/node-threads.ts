/**
 * What a node's process is given in its environment, which is read before anything else of it runs. Of these threads at most
 * half look names up at once (libuv), and four are the usual number: two names that nobody answers for, of a peer that is
 * away or of an upstream server, would hold up all others for as long as the system tries.
 */
export const NODE_THREADS = { UV_THREADPOOL_SIZE: '32' } as const;
