/** A TOML basic string. */
export function tomlString(value: string): string {
  return JSON.stringify(value).replaceAll('\u007f', '\\u007f');
}

/** A TOML array of strings, on one line. */
export function tomlStrings(values: readonly string[]): string {
  return `[${values.map(tomlString).join(', ')}]`;
}
