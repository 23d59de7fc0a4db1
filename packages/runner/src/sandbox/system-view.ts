import { lstat, readlink, realpath } from 'node:fs/promises';
import { join } from 'node:path';

/** Folders that make up a system: programs and libraries. What is private to users or services lies elsewhere. */
const ROOTS = ['usr', 'bin', 'sbin', 'lib', 'lib32', 'lib64', 'libx32', 'opt', 'nix/store', 'gnu/store'];

/**
 * What programs need of `/etc`. Named one by one: a node that runs as root could read everything there, and what tells
 * nothing but how the system is set up is little.
 */
const SETTINGS = [
  ...['alternatives', 'bash.bashrc', 'ca-certificates', 'ca-certificates.conf', 'crypto-policies', 'debian_version'],
  ...['fonts', 'gitconfig', 'group', 'host.conf', 'hosts', 'inputrc', 'ld.so.cache', 'ld.so.conf', 'ld.so.conf.d'],
  ...['locale.alias', 'locale.conf', 'localtime', 'login.defs', 'magic', 'magic.mime', 'mime.types', 'networks'],
  ...['nsswitch.conf', 'os-release', 'passwd', 'perl', 'pki/ca-trust', 'pki/tls/certs', 'profile', 'protocols'],
  ...['services', 'sgml', 'shells', 'ssl/certs', 'ssl/openssl.cnf', 'terminfo', 'timezone', 'xml'],
];

/** Runtimes that keep their own settings there, under names with a version. */
const RUNTIME = /^(java|python|php|ruby)[-.0-9]/;

/** Of `/proc`: what changes the whole machine, where its owner writes to it. */
const KERNEL = ['sys', 'sysrq-trigger', 'irq', 'bus', 'fs', 'acpi', 'scsi', 'driver', 'tty', 'asound', 'mtrr'];

/** The read-only system that every sandbox shows. */
export interface SystemView {
  /** Absolute, existing; shown under the same name. */
  readonly folders: readonly string[];
  /** Links at the top, such as `/bin`, and what they say. */
  readonly links: readonly { readonly path: string; readonly target: string }[];
  /** Files and folders of `/proc` that are covered by read-only ones. */
  readonly kernel: readonly string[];
}

/** Looks at what there is below `/`. */
export async function readSystemView(list: (folder: string) => Promise<readonly string[]>): Promise<SystemView> {
  const folders: string[] = [];
  const links: { path: string; target: string }[] = [];
  for (const path of ROOTS.map((root) => `/${root}`)) {
    const found = await lstat(path).catch(() => undefined);
    if (found?.isSymbolicLink()) links.push({ path, target: await readlink(path) });
    else if (found?.isDirectory()) folders.push(path);
  }
  const runtimes = (await list('/etc').catch(() => [])).filter((name) => RUNTIME.test(name));
  const settings = [...SETTINGS, ...runtimes].map((name) => join('/etc', name));
  const kernel = KERNEL.map((name) => join('/proc', name));
  return {
    folders: [...folders, ...(await existing(settings)), ...(await existing(['/sys/devices/system/cpu']))],
    links,
    kernel: await existing(kernel),
  };
}

async function existing(paths: readonly string[]): Promise<readonly string[]> {
  const found = await Promise.all(paths.map((path) => realpath(path).catch(() => undefined)));
  return paths.filter((_, at) => found[at] !== undefined);
}

/** Whether the system that is shown holds a path, which is real. */
export function isOfSystem({ folders }: SystemView, path: string): boolean {
  return folders.some((folder) => isBelow(path, folder));
}

/** Whether a path is a folder or lies in it; both absolute and real. */
export function isBelow(path: string, folder: string): boolean {
  return folder === '/' || path === folder || path.startsWith(`${folder}/`);
}
