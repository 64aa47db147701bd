// Which alerts a fleet as it is shown would raise, as far as the topics and the brokers tell. Pure.

import { ago, failedOf, groupOf, plural } from './format.js';

const OVERDUE_MS = 75_000;
const MANY_BEHIND = 1000;
const FAILING = 0.2;
const GIVEN_UP = 0.1;
const LEFT_OF_MEMORY = 0.1;

const of = (count, alert, text) => (count > 0 ? [{ alert, text }] : []);

/** Each with the alert whose runbook is to be read, worst first. */
export function alertsOf(fleet, instances, now = Date.now()) {
  return [...ofGateway(fleet), ...ofWorkers(fleet, now), ...ofLoad(fleet), ...ofServers([...instances])];
}

const ALERTS = { broker: 'PerigeeBrokerAway', topics: 'PerigeeTopicUnusable', clock: 'PerigeeClockOff' };
const ofPartition = ({ part }) => part.startsWith('partition-');

function ofGateway({ obstacles, partitions, owners_known: known }) {
  const unowned = known ? partitions.filter((it) => !it.gateway_id).length : 0;
  const unserved = obstacles.filter(ofPartition);
  return [
    // A link is named by its address.
    ...obstacles.filter((it) => !ofPartition(it)).map(({ part, reason }) => ({
      alert: ALERTS[part] ?? (part.includes(':') ? 'PerigeeLinkDown' : 'PerigeeGatewayNotReady'), text: `${part}: ${reason}` })),
    ...of(unserved.length, 'PerigeePartitionsNotServed',
      `${plural(unserved.length, 'partition')} of this gateway not served; ${unserved[0]?.part}: ${unserved[0]?.reason}`),
    ...of(unowned, 'PerigeePartitionsNotServed', `${plural(unowned, 'partition')} without a gateway`),
  ];
}

function ofWorkers({ workers }, now) {
  return workers.flatMap(({ worker_id: id, link, facts }) => {
    const name = id ?? link?.address;
    const overdue = facts && now - new Date(facts.at) > OVERDUE_MS;
    const left = facts?.host_memory_max_bytes ? facts.host_memory_available_bytes / facts.host_memory_max_bytes : 1;
    return [
      ...of(overdue ? 1 : 0, 'PerigeePartDown', `${name} was not heard of for ${facts && ago(facts.at)}`),
      ...of(link && ['recovering', 'failed'].includes(link.state) ? 1 : 0, 'PerigeeLinkDown', `${name}: link ${link?.state}`),
      ...of(left < LEFT_OF_MEMORY ? 1 : 0, 'PerigeeWorkerMemoryFull', `${name}: ${Math.round(left * 100)} % of the memory is left`),
    ];
  });
}

function ofLoad({ load }) {
  const open = Object.values(load?.backlog?.open ?? {}).reduce((sum, count) => sum + count, 0);
  const letters = load?.backlog?.dead_letters ?? 0;
  const failed = load?.calls.failed ?? 0;
  return [
    ...of(open > MANY_BEHIND ? 1 : 0, 'PerigeeBehind', `${plural(open, 'record')} of commands and requests are not done`),
    ...of(failed > FAILING ? 1 : 0, 'PerigeeServersFail', `${failedOf(load.calls)} failed in the last minute (${Math.round(failed * 100)} %)`),
    ...of(letters, 'PerigeeDeadLetters', `${plural(letters, 'new record')} on dead-letters in the last hour`),
  ];
}

function ofServers(instances) {
  const dead = instances.filter((it) => groupOf(it.status) === 'dead').length;
  const quarantined = instances.filter((it) => it.status === 'error' && it.status_message?.startsWith('Quarantined')).length;
  return [
    ...of(dead > GIVEN_UP * instances.length ? dead : 0, 'PerigeeServersGivenUp', `${dead} of ${plural(instances.length, 'server')} permanently failed`),
    ...of(quarantined, 'PerigeeServersQuarantined', `${plural(quarantined, 'server')} in quarantine`),
  ];
}

export const runbookOf = (alert) => `#/runbooks/${alert}`;
