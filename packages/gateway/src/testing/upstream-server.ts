/**
 * A small MCP server of an older revision, as JSON lines: `echo` gives back its arguments, `env` a variable, `slow` never
 * answers, `strict` answers what its own schema does not allow, by rules that no library should follow (asked for `keys`, more of them than anybody reads), `big` adds tools without end, `grow` adds a tool and says so, `crowd` adds 200, `crooked` adds one that is none and says so, `end` ends the process; with the argument `mute` it never says a word. For tests that start it as a program.
 */
export const UPSTREAM_PROGRAM = `
const lines = require('node:readline').createInterface({ input: process.stdin });
const say = (message) => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', ...message }) + '\\n');
const tool = (name, properties = {}) => ({ name, description: 'the ' + name, inputSchema: { type: 'object', properties, required: Object.keys(properties) } });
const tools = [];
const strict = { ...tool('strict'), outputSchema: { type: 'object', properties: { a: { type: 'string', pattern: '^(a+)+$' }, b: { pattern: '(' }, c: { $ref: '#/nowhere' } }, required: ['a'] } };
const nested = (levels) => JSON.parse('{"type":"object","x":' + '['.repeat(levels) + ']'.repeat(levels) + '}');
lines.on('line', (line) => {
  if (process.argv.includes('mute')) return;
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) return;
  if (method === 'initialize') return say({ id, result: { protocolVersion: params.protocolVersion, capabilities: { tools: { listChanged: true } }, serverInfo: { name: 'small', version: '1' } } });
  if (method === 'tools/list') return say({ id, result: { tools: [tool('echo', { text: { type: 'string' }, session: { type: 'string' } }), tool('env'), tool('slow'), tool('end'), tool('grow'), tool('crooked'), tool('big'), tool('crowd'), strict, tool('bad name'), ...tools] } });
  if (method !== 'tools/call') return say({ id, error: { code: -32601, message: 'no such method' } });
  if (params.name === 'end') process.exit(0);
  if (params.name === 'slow') return;
  if (params.name === 'grow') {
    tools.push(tool('grown'));
    say({ method: 'notifications/tools/list_changed' });
  }
  if (params.name === 'strict' && params.arguments.a === 'keys') return say({ id, result: { content: [], structuredContent: Object.fromEntries(Array.from(Array(30000).keys(), (key) => [key, 0])) } });
  if (params.name === 'strict') return say({ id, result: { content: [], structuredContent: { a: 'aaaaaaaaaaaa!' } } });
  if (params.name === 'crowd') {
    for (let n = 0; n < 200; n++) tools.push(tool('crowd' + n));
    say({ method: 'notifications/tools/list_changed' });
  }
  if (params.name === 'big') {
    const sized = (name, inputSchema) => tools.push({ name, inputSchema });
    sized('deep', nested(63));
    sized('deeper', nested(64));
    sized('bottomless', nested(2000));
    sized('wide', { type: 'object', required: Array(9995).fill('a') });
    sized('wider', { type: 'object', required: Array(9996).fill('a') });
    say({ method: 'notifications/tools/list_changed' });
  }
  if (params.name === 'crooked') {
    tools.push({ name: 'bent', inputSchema: { type: 'string' } }, { description: 'nobody' });
    say({ method: 'notifications/tools/list_changed' });
  }
  const text = params.name === 'env' ? JSON.stringify(Object.keys(process.env)) : JSON.stringify(params.arguments);
  say({ id, result: { content: [{ type: 'text', text }] } });
});
`;
