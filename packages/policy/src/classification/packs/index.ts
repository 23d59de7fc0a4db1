import type { RulePack } from '../types.ts';
import { checksPack } from './checks.ts';
import { containersPack } from './containers.ts';
import { filesPack } from './files.ts';
import { gitPack } from './git.ts';
import { infrastructurePack } from './infrastructure.ts';
import { interpretersPack } from './interpreters.ts';
import { kubernetesPack } from './kubernetes.ts';
import { machinePack } from './machine.ts';
import { networkPack } from './network.ts';
import { packagesPack } from './packages.ts';
import { readingPack } from './reading.ts';
import { servicesPack } from './services.ts';
import { shellPack } from './shell.ts';
import { sqlPack } from './sql.ts';
import { systemPack } from './system.ts';
import { transferPack } from './transfer.ts';

/** Every built-in rule, by topic. Their examples are run by a test. */
export const PACKS: readonly RulePack[] = [
  readingPack,
  filesPack,
  systemPack,
  shellPack,
  servicesPack,
  machinePack,
  networkPack,
  transferPack,
  packagesPack,
  checksPack,
  gitPack,
  containersPack,
  kubernetesPack,
  infrastructurePack,
  sqlPack,
  interpretersPack,
];
