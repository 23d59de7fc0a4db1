/** Kinds of units that are no service: what starts or stops with one is not in its name. */
const OTHER_KIND = /\.(target|slice|scope|mount|automount|swap|device|socket|timer|path|busname|snapshot)$/i;

/** Parts of patterns: `.*` behind a name is whatever the machine's maker put there. */
const OPENS = [
  ...['(soft-)?reboot', 'poweroff', 'halt', 'kexec', 'shutdown', 'final', 'umount', 'exit', 'ctrl-alt-del', 'sigpwr'],
  ...['sleep', 'suspend', 'hibernate', 'hybrid-sleep', 'suspend-then-hibernate', 'factory-reset', 'system-update.*'],
  ...['rescue', 'emergency', 'debug-shell', 'initrd-.*', 'runlevel\\d', 'fsck.*', 'autovt', '.*getty'],
  ...['(in\\.)?(telnet|rlogin|rsh|rexec)d?', '(x|x11|tiger|tight)vnc.*'],
];
const OF_SYSTEM = [
  ...[
    'systemd-.*',
    'dbus.*',
    'elogind',
    'polkit.*',
    'e?udev.*',
    'user',
    'init',
    'user-runtime-dir',
    'plymouth.*',
    'kmod.*',
  ],
  ...['lvm2?-.*', 'dm-.*', 'mdadm.*', 'mdmonitor.*', 'cryptsetup.*', 'multipathd?', 'writ.*'],
  ...['display-manager', 'gdm\\d?', 'lightdm', 'sddm', 'xdm'],
];
const GUARDS = [
  ...['audit.*', 'apparmor.*', 'selinux.*', 'restorecond?', 'setroubleshoot.*', 'usbguard.*', 'fapolicyd.*'],
  ...['ufw.*', 'firewall.*', 'nftables.*', 'ip6?tables.*', '(eb|arp)tables.*', 'netfilter.*', 'shorewall.*', 'ferm'],
  ...[
    'fail2ban.*',
    'sshguard.*',
    'crowdsec.*',
    'denyhosts.*',
    'ossec.*',
    'wazuh.*',
    'osquery.*',
    'snort.*',
    'suricata.*',
  ],
  ...[
    'falco.*',
    'clam.*',
    'aide.*',
    'tripwire.*',
    'r?syslog.*',
    'syslog-ng',
    'klogd',
    'watchdog.*',
    'unattended-upgrades.*',
  ],
  ...['(open)?sshd?', 'dropbear.*', 'network.*', 'connman.*', 'wpa_supplicant.*', 'dhcpcd.*', 'netplan.*', 'ifup.*'],
  ...['wg-quick', 'openvpn.*', 'tailscaled?', 'strongswan.*', 'ipsec.*', 'sssd.*', 'winbind.*', 'nscd', 'nslcd'],
  ...['chronyd?', 'ntp.*', 'cron.*', 'crond', 'anacron', 'atd'],
];

/** Kinds that hold, end or begin much else. */
const HOLDING = 'target|slice|scope|mount|automount|swap|device';
const SUFFIXES = 'service|socket|timer|path';

/** A unit of these names, behind a folder or not, an instance of it or not, with a suffix or not. Each part ends where the next begins. */
function unitsOf(names: readonly string[]): RegExp {
  const patterns = names.join('|').replaceAll('.*', '[^/@]*');
  return new RegExp(`^(?:[^]*/)?(?:${patterns})(?:@[^/]*)?(?:\\.(?:${SUFFIXES}))?$|\\.(?:${HOLDING})$`, 'i');
}

/** Units that hold what else runs or are the system's own: to act on one in any way is destructive. */
export const SYSTEM_UNIT = unitsOf(OF_SYSTEM);
/** Units whose start ends, halts or opens the machine. */
export const OPENING_UNIT = unitsOf(OPENS);
/** Units without which nobody is kept out of the machine, seen, or let in. */
export const GUARDING_UNIT = unitsOf(GUARDS);

/** A name without a folder, an instance or an escape. */
const PLAIN = /^[A-Za-z0-9][A-Za-z0-9._:+~-]*$/;

/** Whether a unit is a service like another one: of no other kind, no instance of a template, and nothing that the machine stands on. */
export function isPlainService(unit: string): boolean {
  if (!PLAIN.test(unit) || OTHER_KIND.test(unit)) return false;
  return ![SYSTEM_UNIT, OPENING_UNIT, GUARDING_UNIT].some((pattern) => pattern.test(unit));
}
