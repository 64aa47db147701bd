// Instances that go together, as one row. Pure.

import { groupOf } from './format.js';

/** Groups of states, worst first. */
export const ORDER = ['dead', 'bad', 'auth', 'off', 'move', 'unknown', 'ok'];

const OWN = ['process_id', 'installation_name', 'installation_id', 'team_id', 'user_id', 'worker_id'];
const READ = 800; // characters of a message; what comes later tells no causes apart
const SAID_BEFORE = /^(?:Restart(?: \d+)? (?:now|in [^:]{1,40})|Process crashed \d+ times in [^:]{1,40}, at last): /;
const SAID_AFTER = /\. Manual restart required\.$/;
const VARIES = [
  /\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/gi,
  /\b(?=[a-f]{0,40}\d)[0-9a-f]{8,}\b/gi,
  /\d{4}-\d\d-\d\d[T ][\d:.,]+Z?/g,
  /\b\d+(?:\.\d+)?(?= ?(?:ms|s|seconds?|minutes?|hours?|bytes|[kKMG]i?B)\b)/g,
  /(?<=\bpid )\d+/gi,
  /\d{5,}/g,
];

const special = /[.*+?^${}()|[\]\\]/g;

/** What an instance says went wrong, without what differs from user to user; empty where it says nothing. */
export function causeOf(it) {
  let text = (it.status_message ?? '').slice(0, READ).replace(SAID_BEFORE, '').replace(SAID_AFTER, '');
  for (const name of OWN) {
    const own = it[name];
    if (own && text.includes(own)) text = text.replace(new RegExp(`(?<![A-Za-z0-9])${own.replace(special, '\\$&')}(?![A-Za-z0-9])`, 'g'), '…');
  }
  return VARIES.reduce((said, pattern) => said.replace(pattern, '…'), text);
}

/** Whether a row says why: anything but online, with a message. */
export const hasReason = (it) => groupOf(it.status) !== 'ok' && Boolean(it.status_message);

export const serverOf = (it) => [it.server_slug, it.server_version].filter(Boolean).join(' ');

const key = (...parts) => JSON.stringify(parts);

// Each: id, name, and what instances of one row have in common; null for one that has a row of its own.
const GROUPINGS = [
  ['cause', 'Same cause', (it, cause) => (hasReason(it) ? key(it.server_slug, it.server_version, cause()) : null)],
  ['server', 'Server', (it) => key(it.server_slug)],
  ['version', 'Version', (it) => key(it.server_slug, it.server_version)],
  ['worker', 'Worker', (it) => key(it.worker_id)],
  ['message', 'Message', (it, cause) => (it.status_message ? key(cause()) : null)],
  ['none', 'Nothing', () => null],
];

export const GROUP_NAMES = GROUPINGS.map(([id, name]) => [id, name]);

/** A row for several instances. */
export class Group {
  constructor(by, name) {
    this.by = by;
    this.key = `${by} ${name}`;
    this.items = [];
  }

  get first() {
    return this.items[0];
  }

  /** Its statuses and how many have each, most frequent first. */
  get statuses() {
    return this.#counted((it) => it.status);
  }

  get workers() {
    return this.#counted((it) => it.worker_id);
  }

  /** The worst group of states in it. */
  get worst() {
    const found = new Set(this.items.map((it) => groupOf(it.status)));
    return ORDER.find((group) => found.has(group)) ?? 'unknown';
  }

  /** How many users, and how many teams they are of. */
  get users() {
    return new Set(this.items.map((it) => key(it.team_id, it.user_id))).size;
  }

  get teams() {
    return new Set(this.items.map((it) => it.team_id)).size;
  }

  /** The instance whose message stands for all: one of those in the status that most are in. */
  get sample() {
    const [[most]] = this.statuses;
    return this.items.find((it) => it.status === most && hasReason(it)) ?? this.items.find(hasReason) ?? this.first;
  }

  get crashes() {
    return this.items.reduce((sum, it) => sum + it.crashes, 0);
  }

  /** When the first of them came into its status. */
  get since() {
    return this.items.reduce((first, it) => (it.status_since < first ? it.status_since : first), this.first.status_since);
  }

  #counted(what) {
    const counts = new Map();
    for (const it of this.items) counts.set(what(it), (counts.get(what(it)) ?? 0) + 1);
    return [...counts].sort((a, b) => b[1] - a[1]);
  }
}

/**
 * Rows of instances: groups of several first, the largest first, then single ones as they came. By anything but the cause
 * a group of one is a group too.
 */
export function grouped(instances, by, causes) {
  const common = GROUPINGS.find(([id]) => id === by)[2];
  const groups = new Map();
  const single = new Set();
  for (const it of instances) {
    const name = common(it, () => causes(it));
    if (name === null) single.add(it);
    else if (groups.has(name)) groups.get(name).items.push(it);
    else {
      groups.set(name, new Group(by, name));
      groups.get(name).items.push(it);
    }
  }
  const several = [];
  for (const group of groups.values()) {
    if (by === 'cause' && group.items.length === 1) single.add(group.first);
    else several.push(group);
  }
  several.sort((a, b) => b.items.length - a.items.length || ORDER.indexOf(a.worst) - ORDER.indexOf(b.worst));
  return [...several, ...instances.filter((it) => single.has(it))];
}

/** How many instances are online, by server and version. */
export function onlineVersions(instances) {
  const servers = new Map();
  for (const it of instances) {
    if (!it.server_version || groupOf(it.status) !== 'ok') continue;
    if (!servers.has(it.server_slug)) servers.set(it.server_slug, new Map());
    const versions = servers.get(it.server_slug);
    versions.set(it.server_version, (versions.get(it.server_version) ?? 0) + 1);
  }
  return servers;
}

/** How this version of a group's server fares beside the two that most others have, in words. */
export function besideOthers({ by, first }, online) {
  const { server_slug: server, server_version: version } = first;
  if (!version || by !== 'cause') return '';
  const versions = online.get(server) ?? new Map();
  const others = [...versions].filter(([other]) => other !== version).sort((a, b) => b[1] - a[1]).slice(0, 2);
  return `online: ${[[version, versions.get(version) ?? 'none'], ...others].map(([each, count]) => `${count} with ${each}`).join(', ')}`;
}
