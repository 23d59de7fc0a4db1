import { describe, expect, it } from 'vitest';
import { testGrammar } from '../testing/shell-grammar.ts';
import { changesCovered } from './alone.ts';
import { createCommandClassifier } from './classify.ts';
import type { CommandPlace } from './types.ts';

const classifier = createCommandClassifier({ grammar: await testGrammar() });
const NO_COPY: CommandPlace = { host: 'self', cwd: '/home/u/app' };
const COPY: CommandPlace = { host: 'self', cwd: '/w', workspace: '/w' };
const classOf = (text: string, place: CommandPlace): string => classifier.classify(text.split(' '), place).class;
const script = (text: string, place: CommandPlace): string => classifier.classify(['sh', '-c', text], place).class;

/** What the machine, a service or a person depends on, with a workspace and without one. */
const DEPENDED_ON = [
  ...['chmod 644 /etc/shadow', 'chmod o+r /root/.ssh/id_rsa', 'chmod 000 /usr/bin/sudo', 'chmod -R a-rwx /'],
  ...[
    'chmod +x /etc/cron.daily/x',
    'chmod -x /etc/x',
    'chmod 644 a /etc/x',
    'chmod -R o+r /home/u',
    'chmod -R o+r /home',
  ],
  ...['touch /etc/nologin', 'touch /etc/ld.so.preload', 'touch -d 1970-01-01 /var/lib/x', 'touch .git/hooks/x'],
  ...['mkdir -p /etc/systemd/system/x.service.d', 'mkdir /home/u/.config/autostart', 'touch a/../../../etc/x'],
  ...['mktemp /etc/XXXXXX', 'mktemp -p /etc', 'mktemp --tmpdir=/etc x.XXX', 'mktemp -p /etc x.XXX'],
  ...['find /etc -exec chmod 644 {} ;', 'find -L . -exec chmod 644 {} +', 'find . -execdir touch x ;'],
];

describe('a change that overwrites nothing', () => {
  it.each(DEPENDED_ON)('takes away where others depend on it: %s', (text) => {
    expect(classOf(text, NO_COPY)).toBe('destructive');
    expect(classOf(text, COPY)).toBe('destructive');
  });

  it.each([
    ...[
      'chmod 644 a',
      'chmod -x a',
      'chmod -R u+rwX .',
      'touch a',
      'mkdir -p a/b',
      'mkdir -m 755 a',
      'mktemp',
      'mktemp -d',
    ],
    ...['mktemp x.XXX', 'mktemp -p sub', 'find . -exec chmod 644 {} ;', 'find src -exec chmod 644 {} +'],
  ])('is one that can be set back elsewhere: %s', (text) => {
    expect(classOf(text, NO_COPY)).toBe('config-mutation');
    expect(classOf(text, COPY)).toBe('config-mutation');
  });

  it.each(['mkdir /tmp/x', 'touch /home/u/other/x', 'chmod 644 ../x', 'mkdir /srv/x', 'touch /var/tmp/x'])(
    'is outside of a workspace only where there is one: %s',
    (text) => {
      expect(classOf(text, NO_COPY)).toBe('config-mutation');
      expect(classOf(text, COPY)).toBe('destructive');
    },
  );

  it.each([
    ['chmod +x ./*', 'config-mutation'],
    ['chmod +x src/*.sh', 'config-mutation'],
    ['mkdir -p src/{a,b}/c', 'config-mutation'],
    ['cd build && mkdir -p x && touch y', 'config-mutation'],
    ['mkdir -p ~/app/x', 'config-mutation'],
    ['mkdir -p src/{a,..}/c', 'destructive'],
    ['chmod +x ./.?/*', 'destructive'],
    ['chmod +x /*/cron.daily/x', 'destructive'],
    ['chmod 644 /home/*/.ssh/x', 'destructive'],
    ['chmod 644 ~/*', 'destructive'],
    ['touch ~/.ssh/authorized_keys', 'destructive'],
    ['touch ~root/x', 'destructive'],
    ['cd /etc && touch nologin', 'destructive'],
    ['cd a && cd b && touch x', 'destructive'],
    ['cd ~ && touch x', 'destructive'],
  ])('goes by the folder in which a pattern finds something, and by where a script may be: %s %s', (text, is) =>
    expect(script(text, NO_COPY)).toBe(is),
  );

  it('may be in the folder of a service where the command runs', () => {
    const place = { host: 'self', cwd: '/var/lib/writ/tasks/1' };
    expect(classOf('mkdir x', place)).toBe('config-mutation');
    for (const text of ['mkdir ../x', 'mkdir /var/lib/x', 'chmod 644 /root/x'])
      expect(classOf(text, place)).toBe('destructive');
    expect(classOf('touch lib/x', { host: 'self', cwd: '/var' })).toBe('destructive');
    expect(classOf('mkdir x', { host: 'db' })).toBe('destructive');
  });

  it('is covered by a window as before', () => {
    for (const argv of [
      ['mkdir', '-p', 'a'],
      ['touch', 'a'],
    ])
      expect(changesCovered(classifier.classify(argv, NO_COPY), argv, '/home/u/app')).toBeDefined();
  });
});
