import { badge, byId, h, setText, time } from './dom.js';
import { ago, bytes, duration, linkGroup, moment, plural } from './format.js';

const NOBODY = '\u0000';
const STALE_MS = 75_000;

/** The fleet: gateways and workers as cards, and who has which partition where as a table of both. */
export class FleetPage {
  #fleet = null;

  constructor() {
    setInterval(() => { if (!document.hidden) this.#ages(); }, 1000);
  }

  show(fleet) {
    this.#fleet = fleet;
    const nodes = [
      h('h2', null, 'Who has which partition, and where'), this.#matrix(fleet),
      h('h2', null, 'Workers'), h('ul', { class: 'cards' }, fleet.workers.map((it) => workerCard(it))),
      h('h2', null, 'Gateways'), h('ul', { class: 'cards' }, fleet.gateways.map((it) => gatewayCard(it, fleet))),
      this.#partitions(fleet),
    ];
    const wasOpen = byId('fleet').querySelector('details')?.open;
    byId('fleet').replaceChildren(...nodes);
    if (wasOpen) byId('fleet').querySelector('details').open = true;
    setText(byId('fleet-count'), [
      plural(fleet.gateways.filter((it) => it.member).length, 'gateway'),
      plural(fleet.workers.length, 'worker'),
      plural(fleet.partitions.length, 'partition'),
    ].join(', '));
    this.#ages();
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
        columns.map((id) => h('th', { scope: 'col' }, id === NOBODY ? 'nowhere' : id, id === NOBODY ? null : linkBadge(fleet, id))))),
      h('tbody', null, rows.map((owner) => h('tr', null,
        h('th', { scope: 'row' }, owner === NOBODY ? 'no gateway' : owner,
          owner === fleet.gateway_id ? h('span', { class: 'muted sub' }, 'serves this page') : null),
        columns.map((worker) => {
          const here = fleet.partitions.filter((it) => row(it) === owner && column(it) === worker);
          return h('td', null, here.length ? h('span', { class: 'cells' }, here.map(cell)) : h('span', { class: 'muted' }, 'none'));
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
          h('td', null, it.gateway_id ?? 'nobody'),
          h('td', null, badge(...stateOf(it))),
          h('td', null, it.worker_id ?? 'nowhere'),
          h('td', null, it.claimed_by ?? '–'),
          h('td', null, it.epoch === undefined ? '–' : String(it.epoch)),
          h('td', { class: 'when' }, it.claimed_at ? time(it.claimed_at, moment(it.claimed_at)) : '–')))))));
  }
}

/** What is known of a partition: of its own ones a gateway knows more than the topics say. */
function stateOf(it) {
  if (!it.gateway_id) return ['bad', 'no gateway'];
  if (it.state) return [it.state === 'serving' ? 'ok' : 'move', it.state];
  if (it.claimed_by !== it.gateway_id) return ['move', 'changing hands'];
  return ['ok', 'claimed'];
}

function cell(it) {
  const [group, text] = stateOf(it);
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

function workerCard({ worker_id: id, link, facts }) {
  const states = Object.entries(facts?.counts_by_state ?? {}).filter(([, count]) => count > 0);
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
        row('Instances', `${facts.instances}${states.length ? ` (${states.map(([state, count]) => `${count} ${state}`).join(', ')})` : ''}`),
        row('Version', facts.version),
        row('Isolation', facts.isolation ?? '–'),
      ] : [row('Heartbeat', 'none seen yet')])),
    facts ? resources(facts) : null);
}

/** What fills the machine: the servers, beside the worker's own JVM and everything there is. */
function resources(facts) {
  const { host_memory_max_bytes: max, host_memory_available_bytes: available, servers_process_count: count } = facts;
  return h('table', { class: 'plain-table resources' },
    h('thead', null, h('tr', null, ['Uses', 'Memory', 'CPU'].map((name) => h('th', { scope: 'col' }, name)))),
    h('tbody', null,
      used('Servers', count === undefined ? null : plural(count, 'process', 'processes'), facts.servers_memory_bytes, max, facts.servers_cpu_load),
      used('Worker JVM', 'heap', facts.memory_used_bytes, facts.memory_max_bytes, facts.cpu_load),
      used('Host', 'all processes', max === undefined || available === undefined ? undefined : max - available, max, facts.host_cpu_load)));
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

function gatewayCard(it, fleet) {
  const own = it.gateway_id === fleet.gateway_id;
  return h('li', { class: 'card' },
    h('div', { class: 'card-head' }, h('h3', null, it.gateway_id), it.member ? badge('ok', 'in the group') : badge('off', 'has left')),
    h('dl', { class: 'facts' },
      row('Partitions', it.partitions.length ? `${it.partitions.length}: ${it.partitions.join(' ')}` : 'none'),
      own ? row('Health', fleet.obstacles.length ? `${plural(fleet.obstacles.length, 'obstacle')}` : 'ready') : null),
    own ? fleet.obstacles.map((obstacle) => h('p', { class: 'message', 'data-group': 'bad' }, `${obstacle.part}: ${obstacle.reason}`)) : null);
}
