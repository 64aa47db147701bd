import { badge, byId, h, setText, time } from './dom.js';
import { alertsOf, runbookOf } from './alerts.js';
import { ago, bytes, duration, failedOf, linkGroup, moment, plural } from './format.js';

const NOBODY = '\u0000';
const STALE_MS = 75_000;
const MOST_ALERTS = 20;

/** The fleet: gateways and workers as cards, and who has which partition where as a table of both. */
export class FleetPage {
  #drawn = new Map();
  #actions;

  constructor(actions) {
    this.#actions = actions;
    setInterval(() => { if (!document.hidden) this.#ages(); }, 1000);
  }

  /** Shows the fleet; of the instances only what is the matter with many. */
  show(fleet, instances) {
    const alerts = alertsOf(fleet, instances);
    const { load, partitions, workers, gateways, gateway_id: own, obstacles, owners_known: known, reading } = fleet;
    const read = reading.caught_up;
    if (this.#drawn.size === 0) byId('fleet').replaceChildren();
    this.#draw('now', [load, workers.map((it) => it.facts?.active_requests), read], () => [h('h2', null, 'Now'), loadTiles(fleet)]);
    this.#draw('alerts', [alerts, read], () => [alertList(alerts, fleet)]);
    this.#draw('workers', [workers, read, this.#actions.role],
      () => [h('h2', null, 'Workers'), h('ul', { class: 'cards' }, workers.map((it) => workerCard(it, fleet, this.#actions)))]);
    this.#draw('matrix', [partitions, workers.map((it) => [it.worker_id, it.link?.state]), gateways, known, read],
      () => [h('h2', null, 'Who has which partition, and where'), this.#matrix(fleet)]);
    this.#draw('gateways', [gateways, own, obstacles, load?.backlog],
      () => [h('h2', null, 'Gateways'), h('ul', { class: 'cards' }, gateways.map((it) => gatewayCard(it, fleet)))]);
    this.#draw('partitions', [partitions, known, read], () => [this.#partitions(fleet)]);
    setText(byId('fleet-count'), [
      plural(gateways.filter((it) => it.member).length, 'gateway'),
      plural(workers.length, 'worker'),
      plural(partitions.length, 'partition'),
    ].join(', '));
    this.#ages();
  }

  /** Draws a section anew where what it shows differs; what is open or has the focus stays so. */
  #draw(name, what, make) {
    let section = byId(`fleet-${name}`);
    if (!section) {
      section = h('section', { id: `fleet-${name}` });
      byId('fleet').append(section);
    }
    const key = JSON.stringify(what);
    if (this.#drawn.get(name) === key) return;
    this.#drawn.set(name, key);
    const open = section.querySelector('details')?.open;
    const focused = section.contains(document.activeElement) 
      ? document.activeElement.getAttribute('href') ?? document.activeElement.getAttribute('aria-label') : null;
    section.replaceChildren(...make());
    if (open) section.querySelector('details').open = true;
    if (focused) {
      [...section.querySelectorAll('a, button')]
        .find((it) => it.getAttribute('href') === focused || it.getAttribute('aria-label') === focused)?.focus();
    }
  }

  #ages() {
    for (const element of byId('fleet').querySelectorAll('[data-age]')) {
      const age = Date.now() - new Date(element.dataset.age);
      setText(element, `${ago(element.dataset.age)} ago${age > STALE_MS ? ', overdue' : ''}`);
    }
    for (const element of byId('fleet').querySelectorAll('[data-up]')) setText(element, duration(Date.now() - new Date(element.dataset.up)));
  }

  #matrix(fleet) {
    const workers = fleet.workers.map((it) => it.worker_id).filter(Boolean);
    const lost = fleet.partitions.some((it) => !workers.includes(it.worker_id));
    const columns = [...workers, ...(lost ? [NOBODY] : [])];
    const gateways = fleet.gateways.map((it) => it.gateway_id);
    const unowned = fleet.partitions.some((it) => !it.gateway_id);
    const rows = [...gateways.filter((id) => fleet.partitions.some((it) => it.gateway_id === id)
      || fleet.gateways.find((it) => it.gateway_id === id).member), ...(unowned ? [NOBODY] : [])];
    const column = (it) => (workers.includes(it.worker_id) ? it.worker_id : NOBODY);
    const row = (it) => it.gateway_id ?? NOBODY;
    return h('div', { class: 'table-wrap' }, h('table', { class: 'matrix' },
      h('caption', { class: 'visually-hidden' }, 'Partitions by gateway and worker'),
      h('thead', null, h('tr', null,
        h('td', { class: 'corner' }, 'Gateway \\ worker'),
        columns.map((id) => h('th', { scope: 'col' }, id === NOBODY ? nowhere(fleet) : id, id === NOBODY ? null : linkBadge(fleet, id))))),
      h('tbody', null, rows.map((owner) => h('tr', null,
        h('th', { scope: 'row' }, owner === NOBODY ? noGateway(fleet) : owner,
          owner === fleet.gateway_id ? h('span', { class: 'muted sub' }, 'serves this page') : null),
        columns.map((worker) => {
          const here = fleet.partitions.filter((it) => row(it) === owner && column(it) === worker);
          return h('td', null, here.length ? h('span', { class: 'cells' }, here.map((it) => cell(it, fleet))) : h('span', { class: 'muted' }, 'none'));
        }))))));
  }

  #partitions(fleet) {
    return h('details', null,
      h('summary', null, 'Every partition'),
      h('div', { class: 'table-wrap' }, h('table', { class: 'plain-table' },
        h('thead', null, h('tr', null, ['Partition', 'Gateway', 'State', 'Worker', 'Claimed by', 'Epoch', 'Claimed']
          .map((name) => h('th', { scope: 'col' }, name)))),
        h('tbody', null, fleet.partitions.map((it) => h('tr', null,
          h('th', { scope: 'row' }, String(it.partition)),
          h('td', null, it.gateway_id ?? noGateway(fleet)),
          h('td', null, badge(...stateOf(it, fleet))),
          h('td', null, it.worker_id ?? nowhere(fleet)),
          h('td', null, it.claimed_by ?? '–'),
          h('td', null, it.epoch === undefined ? '–' : String(it.epoch)),
          h('td', { class: 'when' }, it.claimed_at ? time(it.claimed_at, moment(it.claimed_at)) : '–')))))));
  }
}

// Nobody and nowhere only where that was asked.
const noGateway = (fleet) => (fleet.owners_known ? 'no gateway' : 'owner not known');
const nowhere = (fleet) => (fleet.reading.caught_up ? 'nowhere' : 'not read yet');

/** What is known of a partition: of its own ones a gateway knows more than the topics say. */
function stateOf(it, fleet) {
  if (!it.gateway_id) return [fleet.owners_known ? 'bad' : 'unknown', noGateway(fleet)];
  if (it.state) return [it.state === 'serving' ? 'ok' : 'move', it.state];
  if (!it.claimed_by && !fleet.reading.caught_up) return ['unknown', 'not read yet'];
  if (it.claimed_by !== it.gateway_id) return ['move', 'changing hands'];
  return ['ok', 'claimed'];
}

function cell(it, fleet) {
  const [group, text] = stateOf(it, fleet);
  const told = `partition ${it.partition}: ${text}${it.epoch === undefined ? '' : `, epoch ${it.epoch}`}`;
  return h('span', { class: 'cell', 'data-group': group, title: told },
    String(it.partition), group === 'ok' ? h('span', { class: 'visually-hidden' }, ` ${text}`) : h('span', { class: 'sub' }, text));
}

function linkBadge(fleet, workerId) {
  const link = fleet.workers.find((it) => it.worker_id === workerId)?.link;
  return link ? badge(linkGroup(link.state), `link ${link.state}`) : badge('unknown', 'no link');
}

function row(name, ...value) {
  return h('div', null, h('dt', null, name), h('dd', null, ...value));
}

function workerCard({ worker_id: id, link, facts }, { reading }, actions) {
  const buttons = id && facts ? actions.forWorker(id) : [];
  const states = Object.entries(facts?.counts_by_state ?? {}).filter(([, count]) => count > 0).sort();
  return h('li', { class: 'card' },
    h('div', { class: 'card-head' }, h('h3', null, id ?? link.address),
      link ? badge(linkGroup(link.state), `link ${link.state}`) : badge('unknown', 'no link')),
    link && link.phase !== 'serving' ? h('p', { class: 'message', 'data-group': 'move' }, link.phase) : null,
    link?.problem ? h('p', { class: 'message', 'data-group': 'bad' }, link.problem) : null,
    h('dl', { class: 'facts' },
      link ? row('Address', link.address) : null,
      link ? row('Link since', time(link.since, moment(link.since))) : null,
      ...(facts ? [
        row('Heartbeat', h('span', { 'data-age': facts.at })),
        row('Up', h('span', { 'data-up': facts.started_at })),
        row('Instances, by process', `${facts.instances}${states.length ? ` (${states.map(([state, count]) => `${count} ${state}`).join(', ')})` : ''}`),
        row('Version', facts.version),
        row('Isolation', facts.isolation ?? '–'),
      ] : [row('Heartbeat', reading.caught_up ? 'none seen' : 'not read yet')])),
    facts ? resources(facts) : null,
    buttons.length > 0 ? h('div', { class: 'actions', role: 'group', 'aria-label': `Actions on ${id}` }, buttons) : null);
}

/** What fills the machine: the servers, beside the worker's own JVM and everything there is. */
function resources(facts) {
  const { host_memory_max_bytes: max, host_memory_available_bytes: available, servers_process_count: count } = facts;
  return h('table', { class: 'plain-table resources' },
    h('thead', null, h('tr', null, ['Uses', 'Memory', 'CPU'].map((name) => h('th', { scope: 'col' }, name)))),
    h('tbody', null,
      used('Host', 'machine or container', max === undefined || available === undefined ? undefined : max - available, max, facts.host_cpu_load),
      used('Servers', count === undefined ? null : plural(count, 'process', 'processes'), facts.servers_memory_bytes, max, facts.servers_cpu_load),
      used('Worker JVM', 'heap, of its own limit', facts.memory_used_bytes, facts.memory_max_bytes, facts.cpu_load)));
}

/** What a heartbeat does not tell is undefined here. */
function used(name, more, amount, max, load) {
  const meter = amount === undefined || max === undefined ? null
    : h('meter', { min: 0, max, value: amount, high: 0.85 * max, 'aria-label': `Memory, ${name}` });
  return h('tr', null,
    h('th', { scope: 'row' }, name, more ? h('span', { class: 'muted sub' }, more) : null),
    h('td', null, meter, amount === undefined ? '–' : `${bytes(amount)}${max === undefined ? '' : ` of ${bytes(max)}`}`),
    h('td', null, load === undefined ? '–' : `${Math.round(load * 100)} %`));
}

/** What there is to do, in numbers; a dash for what is not known. */
function loadTiles({ load, workers, reading }) {
  const calls = load?.calls;
  const rate = calls && reading.caught_up ? calls.per_second : undefined;
  const backlog = load?.backlog;
  const running = workers.reduce((sum, it) => sum + (it.facts?.active_requests ?? 0), 0);
  const ms = (value) => (value === undefined ? '–' : `${value.toLocaleString('en')} ms`);
  const tile = (name, value, more) => h('div', { class: 'tile' }, h('dt', null, name), h('dd', null, value, h('span', { class: 'muted sub' }, more)));
  return h('dl', { class: 'tiles' },
    tile('Calls', rate === undefined ? '–' : `${rate < 10 ? rate.toFixed(1) : Math.round(rate).toLocaleString('en')} /s`, 'answered, last minute, where they are logged'),
    tile('Failed', rate ? `${(calls.failed * 100).toFixed(calls.failed < 0.1 ? 1 : 0)} %` : '–', rate ? failedOf(calls) : 'of these'),
    tile('p50', ms(calls?.p50_ms), 'at the worker'),
    tile('p99', ms(calls?.p99_ms), 'at the worker'),
    tile('In flight', workers.some((it) => it.facts) ? running.toLocaleString('en') : '–', 'calls, by the newest heartbeats'),
    tile('Lag', backlog ? sum(backlog.open).toLocaleString('en') : '–', 'commands and requests not done'),
    tile('Dead letters', backlog ? backlog.dead_letters.toLocaleString('en') : '–', h('a', { href: '#/letters' }, 'new in the last hour')));
}

const sum = (counts) => Object.values(counts).reduce((all, count) => all + count, 0);

function alertList(alerts, { reading }) {
  if (alerts.length === 0) return h('p', { class: 'note' }, reading.caught_up ? 'Nothing here would raise an alert.' : 'Reading the topics…');
  const shown = alerts.slice(0, MOST_ALERTS);
  return h('ul', { class: 'alerts', 'aria-label': 'Would raise an alert' },
    shown.map(({ alert, text }) => h('li', { class: 'message', 'data-group': 'bad' }, text, ' ', h('a', { href: runbookOf(alert) }, `${alert}: what to do`))),
    alerts.length > shown.length ? h('li', null, `${alerts.length - shown.length} more`) : null);
}

/** How far a gateway is behind with what it has, which says how it fares whether or not it is this one. */
function behind(it, { load }) {
  const { open, held_since: held } = load?.backlog ?? {};
  if (!open) return row('Lag', 'not known');
  const count = it.partitions.reduce((all, partition) => all + (open[partition] ?? 0), 0);
  const since = it.partitions.map((partition) => held[partition]).filter(Boolean).sort()[0];
  return row('Lag', count === 0 ? 'none' : `${plural(count, 'record')} not done`,
    since ? h('span', { class: 'muted sub' }, `the oldest request for at least ${duration(Date.now() - new Date(since))}`) : null);
}

function gatewayCard(it, fleet) {
  const own = it.gateway_id === fleet.gateway_id;
  return h('li', { class: 'card' },
    h('div', { class: 'card-head' }, h('h3', null, it.gateway_id), it.member ? badge('ok', 'in the group') : badge('off', 'has left')),
    h('dl', { class: 'facts' },
      row('Partitions', it.partitions.length ? `${it.partitions.length}: ${it.partitions.join(' ')}` : 'none'),
      behind(it, fleet),
      own ? row('Health', fleet.obstacles.length ? `${plural(fleet.obstacles.length, 'obstacle')}` : 'ready') : null),
    own ? fleet.obstacles.map((obstacle) => h('p', { class: 'message', 'data-group': 'bad' }, `${obstacle.part}: ${obstacle.reason}`)) : null);
}
