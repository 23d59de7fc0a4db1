import { visible, WritError } from '@writ/core';
import type { EffectiveValue } from '@writ/policy';
import { readText } from '../config-text.ts';
import type { CliContext } from '../context.ts';
import { examples } from '../examples.ts';
import { EXIT } from '../exit-codes.ts';
import { table } from '../output.ts';
import type { Definitions } from '../program.ts';

export function defineConfig({ program, run }: Definitions): void {
  const config = program.command('config').description('the configuration file');
  config
    .command('schema')
    .description('JSON Schema of writ.toml, for editors')
    .addHelpText('after', examples(['writ config schema > writ.schema.json']))
    .action(run(schema));
  config
    .command('show')
    .description('what writ.toml says; needs no node')
    .argument('[file]', "absent: this node's writ.toml")
    .option('--effective', 'also every default that holds, each value with its source')
    .addHelpText('after', examples(['writ config show --effective']))
    .action(run(show));
}

async function schema({ output }: CliContext): Promise<number> {
  const { configJsonSchema } = await import('@writ/policy');
  output.result(configJsonSchema(), (value) => JSON.stringify(value, null, 2));
  return EXIT.ok;
}

async function show(
  context: CliContext,
  [file]: readonly string[],
  options: { readonly effective?: boolean },
): Promise<number> {
  const path = file ?? context.home.configFile;
  const { effectiveValues } = await import('@writ/policy');
  const values = effectiveValues(readText(path));
  if (!values) {
    throw new WritError('CONFIG_INVALID', `${path} is no TOML text`, { nextSteps: [`writ policy validate ${path}`] });
  }
  const shown = options.effective ? values : values.filter(({ source }) => source === 'file');
  context.output.result({ file: path, values: shown }, (answer) =>
    table(['key', 'value', 'source'], answer.values.map(row)),
  );
  return EXIT.ok;
}

function row({ key, value, source, line }: EffectiveValue): readonly string[] {
  const shown = typeof value === 'string' ? value : JSON.stringify(value);
  return [visible(key), visible(shown), source === 'default' ? 'default' : `writ.toml:${line ?? '?'}`];
}
