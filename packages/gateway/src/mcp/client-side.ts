import {
  CLIENT_CAPABILITIES_META_KEY,
  CLIENT_INFO_META_KEY,
  type Server,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { isRecord } from './record.ts';

/** What the client calls itself: newer revisions say it with each request, older ones once at the start. */
export function clientName(server: Server, context: ServerContext): string | undefined {
  const client = envelopeOf(context)[CLIENT_INFO_META_KEY];
  if (isRecord(client) && typeof client.name === 'string') return client.name;
  return server.getClientVersion()?.name;
}

/** Whether the client can show its person a form. */
export function canElicit(server: Server, context: ServerContext): boolean {
  const told = envelopeOf(context)[CLIENT_CAPABILITIES_META_KEY];
  const capabilities: unknown = isRecord(told) ? told : server.getClientCapabilities();
  const elicitation = isRecord(capabilities) ? capabilities.elicitation : undefined;
  // Clients that knew nothing but forms named none.
  return isRecord(elicitation) && (isRecord(elicitation.form) || elicitation.url === undefined);
}

function envelopeOf({ mcpReq }: ServerContext): Readonly<Record<string, unknown>> {
  return mcpReq.envelope ?? {};
}
