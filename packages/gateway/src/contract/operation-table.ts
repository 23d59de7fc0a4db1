import type { McpExposure } from '../types.ts';
import { contract } from './index.ts';

/** The table of operations for docs, Markdown, from the contract alone. */
export function operationTable(): string {
  const rows = Object.values(contract).map((spec) => {
    const form = 'item' in spec ? 'stream' : 'answer';
    const caller = 'mcp' in spec && spec.mcp !== undefined ? 'agents and persons' : 'persons';
    const inputs = Object.keys(spec.input.shape).map((key) => `\`${key}\``);
    const cells = [
      `\`${spec.name}\``,
      form,
      caller,
      toolOf('mcp' in spec ? spec.mcp : undefined),
      spec.taskToken,
      inputs.join(', '),
      spec.summary,
    ];
    return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  });
  return [
    '| operation | form | for | tool | task token | input | what it does |',
    '| --- | --- | --- | --- | --- | --- | --- |',
    ...rows,
    '',
  ].join('\n');
}

/** Its set and what its annotations say; nothing for what is no tool. */
function toolOf(mcp: McpExposure | undefined): string {
  if (mcp === undefined) return '';
  const { toolset = 'default', readOnly, destructive, idempotent, openWorld } = mcp;
  const marks = [
    readOnly ? 'reads' : 'writes',
    ...(destructive ? ['destructive'] : []),
    ...(idempotent ? ['idempotent'] : []),
    ...(openWorld ? ['other nodes'] : []),
  ];
  return `${toolset}: ${marks.join(', ')}`;
}
