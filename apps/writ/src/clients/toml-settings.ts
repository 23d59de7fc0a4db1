import { readTable, removeTable, setTable } from '@writ/policy';
import type { SettingsFormat } from './types.ts';

/** TOML, with the edits that `writ.toml` gets too. */
export const tomlSettings: SettingsFormat = { read: readTable, put: setTable, take: removeTable };
