/** An answer over HTTP that no request is answered with: a JSON-RPC error without an id. */
export function refusal(status: number, code: number, message: string): Response {
  return Response.json({ jsonrpc: '2.0', id: null, error: { code, message } }, { status });
}
