import { describe, expect, it } from 'vitest';
import { jsonSettings } from './json-settings.ts';

const KEYS = ['mcpServers', 'writ'];
const ENTRY = { command: 'node', args: ['w', 'serve'] };
const put = (text: string): string => jsonSettings.put(text, KEYS, ENTRY);
const take = (text: string): string => jsonSettings.take(text, KEYS);

/** What stands there, and what it becomes: nothing but the entry is new. */
const TEXTS: readonly (readonly [name: string, before: string, after: string])[] = [
  [
    'one line without blanks',
    '{"n":3,"mcpServers":{"other":{"command":"x","args":[]}}}',
    '{"n":3,"mcpServers":{"other":{"command":"x","args":[]},"writ":{"command":"node","args":["w","serve"]}}}',
  ],
  [
    'one line with blanks',
    '{ "n": 3, "list": [1,2] }\n',
    '{ "n": 3, "list": [1,2], "mcpServers": { "writ": { "command": "node", "args": ["w", "serve"] } } }\n',
  ],
  [
    'a byte order mark, Windows lines and tabs',
    '\ufeff{\r\n\t"n": [1,\r\n\t 2]\r\n}\r\n',
    '\ufeff{\r\n\t"n": [1,\r\n\t 2],\r\n\t"mcpServers": {\r\n\t\t"writ": {\r\n\t\t\t"command": "node",\r\n\t\t\t"args": [\r\n\t\t\t\t"w",\r\n\t\t\t\t"serve"\r\n\t\t\t]\r\n\t\t}\r\n\t}\r\n}\r\n',
  ],
  [
    'comments before, behind and after',
    '// top\n{\n  "a": {"q":1}, // first\n  "b": 2 // last\n  /* end */\n}\n// below\n',
    '// top\n{\n  "a": {"q":1}, // first\n  "b": 2, // last\n  /* end */\n  "mcpServers": {\n    "writ": {\n      "command": "node",\n      "args": [\n        "w",\n        "serve"\n      ]\n    }\n  }\n}\n// below\n',
  ],
  [
    'a comma at the end',
    '{\n  "mcpServers": {\n    "other": {"command":"x"}, // theirs\n  },\n}\n',
    '{\n  "mcpServers": {\n    "other": {"command":"x"}, // theirs\n    "writ": {\n      "command": "node",\n      "args": [\n        "w",\n        "serve"\n      ]\n    },\n  },\n}\n',
  ],
  [
    'an object that holds a comment alone',
    '{\n    "mcpServers": {\n        // none yet\n    },\n    "z": [1,2]\n}',
    '{\n    "mcpServers": {\n        // none yet\n        "writ": {\n            "command": "node",\n            "args": [\n                "w",\n                "serve"\n            ]\n        }\n    },\n    "z": [1,2]\n}',
  ],
];

describe('settings in JSON', () => {
  it.each(TEXTS)('get an entry and lose it, and nothing else moves: %s', (_, before, after) => {
    expect(put(before)).toBe(after);
    expect(take(after)).toBe(before);
  });

  it('get another entry in the place of the old one', () => {
    const old = '{"mcpServers":{"writ":{"command":"old","env":{"A":"b"}},"z":1}}';
    expect(put(old)).toBe('{"mcpServers":{"writ":{"command":"node","args":["w","serve"]},"z":1}}');
    const lines = '{\n  "mcpServers": {\n    "writ": { "command": "old" }, // c\n    "z": {"q":1}\n  }\n}\n';
    expect(put(lines)).toContain(
      '      "args": [\n        "w",\n        "serve"\n      ]\n    }, // c\n    "z": {"q":1}\n',
    );
    expect(take(lines)).toBe('{\n  "mcpServers": {\n    // c\n    "z": {"q":1}\n  }\n}\n');
  });

  it('begin where there are none', () => {
    const whole = `${JSON.stringify({ mcpServers: { writ: ENTRY } }, undefined, 2)}\n`;
    for (const [before, after] of [
      ['', whole],
      ['{}\n', whole],
      ['\ufeff', `\ufeff${whole}`],
    ] as const) {
      expect(put(before)).toBe(after);
      expect(take(after)).toBe(after.replace(/\{[\s\S]*\}/, '{}'));
    }
  });

  it('are left alone where a key stands there twice', () => {
    expect(() => put('{"mcpServers":{"a":1},"mcpServers":{"b":1}}')).toThrow('without changing more');
  });
});
