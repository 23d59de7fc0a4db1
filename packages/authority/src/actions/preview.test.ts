import { describe, expect, it } from 'vitest';
import { LARGEST_PREVIEW_BYTES, show, showLines } from '../approvals/showing.ts';
import { assentText } from '../executions/scopes.ts';
import { actionLines, previewAction } from './preview.ts';
import type { Action, ActionRequest } from './types.ts';

const BY = { label: 'laptop', words: 'dato-miru-sovu-kila' };

function actionOf(change: Partial<ActionRequest> = {}, environment: Action['environment'] = []): Action {
  return {
    request: {
      ...{ origin: 'wn-a', session: 's1', agent: 'agent', argv: ['rm', '-rf', 'dir'], cwd: '/work' },
      ...{ profile: 'ops', runner: 'shell', network: 'deny', isolation: 'none', inner: [] },
      ...change,
    },
    programs: [{ path: '/bin/rm', sha256: 'ab', sizeBytes: 2048 }],
    files: [{ path: '/work/x', sha256: 'cd', sizeBytes: 3 }],
    directory: { path: '/work', device: '1', inode: '2', born: '3' },
    environment,
  };
}

function textOf(action: Action): string {
  const command = {
    class: 'destructive',
    known: true,
    recognised: 'command',
    workspace: 'app',
    obeysFolder: false,
    unbound: [],
    copied: [],
  } as const;
  const preview = previewAction(action, BY, command);
  return preview.shown ? preview.text : `not shown: ${preview.message}`;
}

describe('the preview of an action', () => {
  it('shows every part, the words of the identity beside the label', () => {
    const stdin = Buffer.from('yes\nno').toString('base64');
    const environment = [
      { name: 'LANG', value: 'C' },
      { name: 'KEY', sealed: 'ef' },
    ];
    expect(textOf(actionOf({ stdin, target: 'self/path//work', network: ['a:1', 'b:2'] }, environment))).toBe(
      [
        'asked by: laptop (dato-miru-sovu-kila)',
        'agent: agent',
        'session: s1 of wn-a',
        'class: destructive',
        'argument 0: rm',
        'argument 1: -rf',
        'argument 2: dir',
        'program: /bin/rm, 2KiB, sha256 ab',
        'file: /work/x, 3B, sha256 cd',
        'directory: /work',
        'standard input: yes\\u{a}no',
        'profile: ops',
        'runner: shell',
        'network: a:1, b:2',
        'isolation: none',
        'target: self/path//work',
        'environment LANG: C',
        'environment KEY: (a secret, as it is now)',
        'yes, once, allows: nothing more than this command',
        'yes, target, allows: destructive commands of this agent in this session in workspace app on this target under this profile, for 1h',
      ].join('\n'),
    );
  });

  it.each([
    ['an escape sequence', 'a\u001b[8mb', 'a\\u{1b}[8mb'],
    ['a right-to-left override', 'a\u202eb', 'a\\u{202e}b'],
    ['a line end that would end the line', 'a\nargument 9: b', 'a\\u{a}argument 9: b'],
    ['a zero-width space', 'a\u200bb', 'a\\u{200b}b'],
    ['half a character', 'a\ud800b', 'a\\u{d800}b'],
    ['what looks like one of these', 'a\\u{202e}b', 'a\\u{5c}u{202e}b'],
  ])('makes %s visible, in labels too', (_, text, shown) => {
    expect(show(text)).toBe(shown);
    expect(textOf(actionOf({ argv: ['echo', text] })).split('\n')).toContain(`argument 1: ${shown}`);
    const environment = [{ name: text, value: 'x' }];
    expect(textOf(actionOf({}, environment)).split('\n')).toContain(
      `environment ${shown.replaceAll(':', '\\u{3a}')}: x`,
    );
  });

  it('says what each yes would open, and that a program is not known', () => {
    const shown = (command: Parameters<typeof previewAction>[2]) => {
      const preview = previewAction(actionOf(), BY, command);
      return preview.shown ? preview.text.split('\n').filter((line) => /^(class|yes)/.test(line)) : [];
    };
    const once = 'yes, once, allows: nothing more than this command';
    expect(
      shown({
        class: 'config-mutation',
        known: true,
        recognised: 'command',
        obeysFolder: false,
        unbound: [],
        copied: [],
      }),
    ).toEqual(['class: config-mutation', once, `yes, session, allows: ${assentText(undefined)}, for 1h`]);
    expect(
      shown({ class: 'destructive', known: true, recognised: 'command', obeysFolder: false, unbound: [], copied: [] }),
    ).toEqual(['class: destructive', once]);
    expect(
      shown({
        class: 'config-mutation',
        known: false,
        recognised: 'nothing',
        obeysFolder: false,
        unbound: [],
        copied: [],
      }),
    ).toEqual(['class: config-mutation, by a program that is not known', once]);
    const form = { class: 'config-mutation', known: false, recognised: 'program' } as const;
    expect(shown({ ...form, obeysFolder: false, unbound: [], copied: [] })).toEqual([
      'class: config-mutation, by a command of a known program that no rule knows',
      once,
    ]);
    const covered = { class: 'config-mutation', known: false, recognised: 'command' } as const;
    expect(shown({ ...covered, obeysFolder: false, unbound: [], copied: [] })).toEqual([
      'class: config-mutation',
      once,
    ]);
  });

  it('says what is not there, and that files of the folder decide what else runs', () => {
    const lines = (change: Partial<ActionRequest>, obeysFolder = false) => {
      const preview = previewAction(actionOf(change), BY, {
        class: 'config-mutation',
        known: false,
        recognised: 'nothing',
        obeysFolder,
        unbound: [],
        copied: [],
      });
      return preview.shown ? preview.text.split('\n') : [];
    };
    expect(lines({ network: [] })).toEqual(
      expect.arrayContaining([
        'standard input: none',
        'network: nothing',
        'target: several, none that is known, or a folder to write into: a yes is for this command alone',
      ]),
    );
    expect(lines({ network: 'allow', stdin: '' })).toEqual(
      expect.arrayContaining(['standard input: ', 'network: allow']),
    );
    expect(lines({}).some((line) => line.startsWith('besides'))).toBe(false);
    expect(lines({}, true)).toEqual(
      expect.arrayContaining([
        'class: config-mutation, by a program that is not known',
        expect.stringMatching(/^besides: files of the folder, or of one that an option names .* decide what else runs/),
      ]),
    );
  });

  it('says of everything that no digest binds that it is not bound, each on a line of its own', () => {
    const command = {
      class: 'read',
      known: true,
      recognised: 'command',
      obeysFolder: false,
      unbound: ['one', 'two\nclass: read'],
      copied: [],
    } as const;
    const preview = previewAction(actionOf(), BY, command);
    expect(preview.shown && preview.text.split('\n').filter((line) => line.startsWith('NOT BOUND'))).toEqual([
      'NOT BOUND: it runs or reads files that this approval does not bind, as they are then: one',
      'NOT BOUND: it runs or reads files that this approval does not bind, as they are then: two\\u{a}class: read',
    ]);
  });

  it('says of each script that runs from a copy that it does, in a plan too', () => {
    const copied = ['/work/deploy.sh', '/work/a\nclass: read'];
    const command = {
      class: 'read',
      known: true,
      recognised: 'command',
      obeysFolder: false,
      unbound: [],
      copied,
    } as const;
    const preview = previewAction(actionOf(), BY, command);
    expect(preview.shown && preview.text.split('\n').filter((line) => line.startsWith('RUNS'))).toEqual([
      'RUNS AS A COPY: it runs from another place, where it finds nothing that lies beside it: /work/deploy.sh',
      'RUNS AS A COPY: it runs from another place, where it finds nothing that lies beside it: /work/a\\u{a}class: read',
    ]);
    expect(actionLines(actionOf(), command)?.filter(({ label }) => label === 'RUNS AS A COPY')).toHaveLength(2);
    expect(textOf(actionOf())).not.toContain('RUNS AS A COPY');
  });

  it('keeps a mark of the byte order in what it shows, and shows nothing of what is no text', () => {
    const stdin = Buffer.from('\ufeffyes').toString('base64');
    expect(textOf(actionOf({ stdin }))).toContain('standard input: \\u{feff}yes');
    const bytes = previewAction(actionOf({ stdin: Buffer.from([0xff]).toString('base64') }), BY, {
      ...{ class: 'read', known: true, recognised: 'command', obeysFolder: false, unbound: [], copied: [] },
    });
    expect(bytes).toEqual({ shown: false, message: 'its standard input is no text, which cannot be shown' });
  });

  it('never shows two different variables alike', () => {
    const shown = [
      { name: 'A: b', value: 'c' },
      { name: 'A', value: 'b: c' },
    ].map((one) => textOf(actionOf({}, [one])));
    expect(new Set(shown).size).toBe(2);
  });

  it('shows 64 KiB whole, and refuses what it cannot show whole', () => {
    const suffix = '; rm -rf /';
    const long = 'a'.repeat(64 * 1024) + suffix;
    expect(textOf(actionOf({ argv: ['echo', long] }))).toContain(suffix);
    expect(textOf(actionOf({ argv: ['echo', 'a'.repeat(LARGEST_PREVIEW_BYTES)] }))).toMatch(/^not shown: .*whole/);
    expect(textOf(actionOf({ stdin: Buffer.from([0xff, 0xfe]).toString('base64') }))).toMatch(/^not shown: .*no text/);
    expect(showLines([{ label: 'x', text: 'y' }])).toEqual({ shown: true, text: 'x: y' });
  });
});
