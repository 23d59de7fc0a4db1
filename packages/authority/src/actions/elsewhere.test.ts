import { expect, it } from 'vitest';
import { elsewhereReason } from './elsewhere.ts';
import { unboundFiles } from './unbound.ts';

it.each([
  ['ssh h sh s.sh', 'on another machine'],
  ['/usr/bin/ssh h id', 'on another machine'],
  ['docker exec x sh s.sh', 'on another machine'],
  ['kubectl exec -it pod -- cat f', 'on another machine'],
  ['chroot ./croot id', 'on another machine'],
  ['git -C sub apply f.patch', 'in another folder'],
  ['git -c a=b --work-tree=x apply f.patch', 'in another folder'],
  ['make -C sub -f f.mk', 'in another folder'],
  ['make -kC sub', 'in another folder'],
  ['make --directory=sub', 'in another folder'],
  ['tar -xzC sub', 'in another folder'],
  ['env -C sub ./p', 'in another folder'],
  ['npm --prefix sub test', 'in another folder'],
  ['terraform -chdir=sub apply', 'in another folder'],
])('%s is said to be about files that are not those which are listed', (line, where) => {
  expect(elsewhereReason(line.split(' '))).toContain(`works ${where}`);
});

it.each([
  'git commit -C HEAD',
  'git -c a=-C diff',
  'git apply f.patch',
  'make -f f.mk',
  'docker ps',
  'grep -C 3 x f',
  'tar -tf x',
])('%s is about what is listed', (line) => {
  expect(elsewhereReason(line.split(' '))).toBeUndefined();
});

it('is said beside what else is not bound, but of no program that the owner has a rule for', () => {
  const command = { argv: ['ssh', 'h', 'id'], reason: 'no rule knows it', class: 'destructive' } as const;
  const notes = unboundFiles({ commands: [{ ...command, rule: 'unknown-program' }], folders: [] });
  expect(notes).toEqual([
    '`ssh`: no rule knows it',
    expect.stringMatching(/^`ssh` works on another machine, or in another system on this one: /),
  ]);
  expect(unboundFiles({ commands: [{ ...command, rule: 'commands[0]' }], folders: [] })).toEqual([]);
});
