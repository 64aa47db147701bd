import { badge, byId, h, setAttribute, setText } from './dom.js';
import { ago, groupOf, moment, plural, statusText } from './format.js';
import { GROUP_NAMES, Group, ORDER, besideOthers, causeOf, grouped, hasReason, onlineVersions, serverOf } from './groups.js';

const SHOWN = 200;
const FILTERS = [
  ['all', 'All', () => true],
  ['trouble', 'Trouble', (group) => ['dead', 'bad', 'auth', 'off', 'unknown'].includes(group)],
  ['move', 'In transition', (group) => group === 'move'],
  ['ok', 'Online', (group) => group === 'ok'],
];

const searched = (it) =>
  [it.process_id, it.installation_name, it.server_slug, it.server_version, it.installation_id, it.team_id, it.user_id, it.worker_id,
    it.status, statusText(it.status), groupOf(it.status) === 'ok' ? '' : it.status_message,
    it.pid ? `pid ${it.pid}` : '', it.dormant ? 'dormant' : '']
    .filter(Boolean).join('\n').toLowerCase();

export const nameOf = (it) => it.installation_name || it.process_id;

const BY_NAME = new Intl.Collator('en', { numeric: true });

// What is worked out of an instance, for as long as it stays the same: of thousands most do between two updates.
const worked = new WeakMap();

function of(it, what, work) {
  let known = worked.get(it);
  if (!known) worked.set(it, (known = {}));
  return (known[what] ??= work(it));
}

const idOf = (it) => (it instanceof Group ? `g ${it.key}` : `i ${it.process_id}`);

/** The table of instances: searched, filtered, grouped, moved in by keys. Several in one row first, then worst first, then by name. */
export class List {
  #open;
  #actions;
  #rows = new Map();
  #shown = [];
  #byRow = new Map();
  #focused = null;
  #opened = null;
  #filter = 'all';
  #by = 'cause';
  #expanded = new Set();
  #instances = new Map();
  #sorted = [];
  #online = new Map();
  #read = false;

  /** Calls open(id) when the user wants to see an instance. */
  constructor(open, actions) {
    this.#open = open;
    this.#actions = actions;
    for (const [id, label] of FILTERS) {
      const input = h('input', { type: 'radio', name: 'filter', value: id, '.checked': id === 'all' });
      byId('filters').append(h('label', { class: 'chip' }, input, h('span', null, label), h('span', { class: 'count', id: `count-${id}` })));
      input.addEventListener('change', () => { this.#filter = id; this.render(); });
    }
    byId('group-by').append(...GROUP_NAMES.map(([id, name]) => h('option', { value: id }, name)));
    byId('group-by').addEventListener('change', (event) => { this.#by = event.target.value; this.render(); });
    byId('search').addEventListener('input', () => this.render());
    byId('search').addEventListener('keydown', (event) => this.#searchKey(event));
    byId('rows').addEventListener('keydown', (event) => this.#rowKey(event));
    byId('rows').addEventListener('click', (event) => {
      const row = event.target.closest('tr');
      if (row && event.target.closest('button')) this.#act(row.dataset.id);
      else if (row) this.#choose(row.dataset.id);
    });
    byId('rows').addEventListener('focusin', (event) => this.#focus(event.target.closest('tr')?.dataset.id));
    setInterval(() => this.#tick(), 1000);
  }

  /** Shows these; read says whether all that there was has been read. */
  show(instances, read) {
    this.#instances = instances;
    this.#read = read;
    // Sorted as it was, with what is new at the end: little is left to sort.
    const kept = this.#sorted.map((it) => instances.get(it.process_id)).filter(Boolean);
    const known = new Set(kept);
    this.#sorted = kept.concat([...instances.values()].filter((it) => !known.has(it)))
      .sort((a, b) => BY_NAME.compare(nameOf(a), nameOf(b)));
    this.#online = onlineVersions(this.#sorted);
    this.render();
  }

  /** Marks the instance that is open, or none. */
  opened(id) {
    const before = this.#opened;
    this.#opened = id;
    for (const changed of [before, id]) this.#rows.get(`i ${changed}`)?.setAttribute('aria-selected', String(changed === id));
  }

  render() {
    const words = byId('search').value.toLowerCase().split(/\s+/).filter(Boolean);
    const found = words.length === 0 ? this.#sorted
      : this.#sorted.filter((it) => words.every((word) => of(it, 'searched', searched).includes(word)));
    const states = Object.fromEntries(ORDER.map((group) => [group, []]));
    for (const it of found) states[groupOf(it.status)].push(it);
    for (const [id, , accepts] of FILTERS) {
      setText(byId(`count-${id}`), String(ORDER.filter(accepts).reduce((sum, group) => sum + states[group].length, 0)));
    }
    const accepts = FILTERS.find(([id]) => id === this.#filter)[2];
    const wanted = ORDER.filter(accepts).flatMap((group) => states[group]);
    const rows = this.#expandedRows(grouped(wanted, this.#by, (it) => of(it, 'cause', causeOf)));
    this.#place(rows.slice(0, SHOWN));
    this.#count(wanted.length, rows.length);
  }

  #expandedRows(rows) {
    const all = [];
    for (const row of rows) {
      all.push(row);
      if (row instanceof Group && this.#expanded.has(row.key)) all.push(...row.items.map((it) => [it]));
    }
    return all;
  }

  #count(wanted, rows) {
    const all = this.#instances.size;
    const some = wanted === all ? plural(all, 'instance') : `${wanted} of ${plural(all, 'instance')}`;
    setText(byId('list-count'), this.#read ? some : `${some} so far`);
    this.#say('list-more', rows > SHOWN ? `${(rows - SHOWN).toLocaleString('en')} more: narrow the search to see them.` : '');
    this.#say('list-empty', wanted > 0 ? ''
      : !this.#read ? 'Reading the topics…' : all === 0 ? 'No instance is installed.' : 'No instance matches.');
  }

  #say(id, text) {
    byId(id).hidden = text === '';
    setText(byId(id), text);
  }

  /** Puts rows into the given order, moving only those that are not where they belong; those of a group are each in a list of one. */
  #place(wanted) {
    const body = byId('rows');
    const placed = wanted.map((it) => (Array.isArray(it) ? [it[0], true] : [it, false]));
    this.#byRow = new Map(placed.map(([it]) => [idOf(it), it]));
    this.#shown = [...this.#byRow.keys()];
    const focus = document.activeElement?.closest?.('#rows tr')?.dataset.id;
    for (const [id, row] of this.#rows) {
      if (!this.#byRow.has(id)) {
        row.remove();
        this.#rows.delete(id);
      }
    }
    let next = body.firstElementChild;
    for (const [it, within] of placed) {
      const id = idOf(it);
      let row = this.#rows.get(id);
      if (!row) {
        row = this.#row(id);
        this.#rows.set(id, row);
      }
      if (it instanceof Group) this.#fillGroup(row, it);
      else this.#fill(row, it, within);
      if (row === next) next = row.nextElementSibling;
      else body.insertBefore(row, next);
    }
    if (!this.#byRow.has(this.#focused)) this.#focus(this.#shown[0]);
    if (focus && this.#byRow.has(focus) && document.activeElement !== this.#rows.get(focus)) this.#rows.get(focus).focus();
  }

  #row(id) {
    // Roles of their own, as a narrow page does not lay the cells out as a table's.
    return h('tr', { role: 'row', 'data-id': id, tabindex: id === this.#focused ? 0 : -1 },
      h('td', { role: 'gridcell', class: 'cell-status' }),
      h('td', { role: 'gridcell', class: 'cell-name' }, h('span', { class: 'name' }), h('span', { class: 'why' }), h('span', { class: 'muted sub' }),
        h('button', { type: 'button', class: 'act', tabindex: -1, hidden: true, 'aria-haspopup': 'dialog', 'aria-keyshortcuts': 'a' }, 'Actions…')),
      h('td', { role: 'gridcell', class: 'wide-only cell-worker' }),
      h('td', { role: 'gridcell', class: 'number cell-crashes' }),
      h('td', { role: 'gridcell', class: 'number wide-only muted' }));
  }

  #fill(row, it, within) {
    const group = groupOf(it.status);
    setAttribute(row, 'aria-level', within ? '2' : '1');
    setAttribute(row, 'aria-selected', String(it.process_id === this.#opened));
    this.#cells(row, group, {
      status: it.dormant && it.status === 'online' ? 'online, dormant' : statusText(it.status),
      name: nameOf(it),
      why: hasReason(it) ? it.status_message : '',
      more: `${it.team_id} / ${it.user_id} · ${serverOf(it)}`,
      worker: it.worker_id,
      crashes: it.crashes,
      since: it.status_since,
    });
  }

  #fillGroup(row, group) {
    const { items, statuses, workers, worst, sample } = group;
    const [[status]] = statuses;
    setAttribute(row, 'aria-level', '1');
    setAttribute(row, 'aria-expanded', String(this.#expanded.has(group.key)));
    row.querySelector('button').hidden = !this.#actions.allows('restart');
    const teams = group.teams > 1 ? ` of ${group.teams} teams` : '';
    this.#cells(row, worst, {
      status: statuses.length === 1 ? `${items.length} ${statusText(status)}` : plural(items.length, 'instance'),
      name: `${titleOf(group)}: ${plural(group.users, 'user')}${teams}`,
      why: hasReason(sample) && group.by !== 'worker' ? sample.status_message : '',
      more: [
        statuses.length > 1 ? statuses.map(([each, count]) => `${count} ${statusText(each)}`).join(', ') : '',
        besideOthers(group, this.#online),
      ].filter(Boolean).join(' · '),
      worker: workers.length > 2 ? plural(workers.length, 'worker') : workers.map(([id]) => id).join(', '),
      crashes: group.crashes,
      since: group.since,
    });
  }

  #cells(row, group, { status, name, why, more, worker, crashes, since }) {
    const [first, second, third, fourth, last] = row.children;
    setAttribute(row, 'data-group', group);
    if (first.textContent !== status || first.firstElementChild?.dataset.group !== group) first.replaceChildren(badge(group, status));
    const [title, reason, sub] = second.children;
    setText(title, name);
    setText(reason, why);
    setAttribute(reason, 'title', why);
    setText(sub, more);
    setText(third, worker);
    setText(fourth, String(crashes ?? 0));
    last.dataset.at = since;
    setAttribute(last, 'title', moment(since));
    setText(last, ago(since));
  }

  #tick() {
    if (document.hidden) return;
    for (const row of this.#rows.values()) setText(row.lastChild, ago(row.lastChild.dataset.at));
  }

  #focus(id) {
    if (id === undefined) return;
    this.#rows.get(this.#focused)?.setAttribute('tabindex', '-1');
    this.#focused = id;
    this.#rows.get(id)?.setAttribute('tabindex', '0');
  }

  /** Moves the focus by so many rows; onto the current one when it is elsewhere. */
  move(by) {
    if (this.#shown.length === 0) return;
    const inList = Boolean(document.activeElement?.closest('#rows'));
    const at = this.#shown.indexOf(this.#focused);
    const to = inList || by === 0 ? Math.min(this.#shown.length - 1, Math.max(0, at + by)) : Math.max(0, at);
    const row = this.#rows.get(this.#shown[to]);
    row.focus();
    row.scrollIntoView({ block: 'nearest' });
  }

  /** Opens an instance, or shows and hides those of a group. */
  #choose(id) {
    const chosen = this.#byRow.get(id);
    if (chosen instanceof Group) this.#expand(chosen, !this.#expanded.has(chosen.key));
    else if (chosen) this.#open(chosen.process_id);
  }

  /** Asks what to do to the group in focus. */
  act() {
    this.#act(this.#focused);
  }

  #act(id) {
    const group = this.#byRow.get(id);
    if (group instanceof Group) this.#actions.openGroup(titleOf(group), group.items);
  }

  #expand(group, wanted) {
    // Groups come and go; what was opened of those that are gone is forgotten.
    for (const key of this.#expanded) if (!this.#byRow.has(`g ${key}`)) this.#expanded.delete(key);
    if (wanted) this.#expanded.add(group.key);
    else this.#expanded.delete(group.key);
    this.render();
  }

  #rowKey(event) {
    const moves = { ArrowDown: 1, ArrowUp: -1, PageDown: 10, PageUp: -10, Home: -SHOWN, End: SHOWN };
    const focused = this.#byRow.get(this.#focused);
    if (event.target.closest('button')) return;
    if (event.key in moves) {
      event.preventDefault();
      this.move(moves[event.key]);
    } else if (event.key === 'Enter' || event.key === ' ') {
      event.preventDefault();
      this.#choose(this.#focused);
    } else if ((event.key === 'ArrowRight' || event.key === 'ArrowLeft') && focused instanceof Group) {
      event.preventDefault();
      this.#expand(focused, event.key === 'ArrowRight');
    }
  }

  #searchKey(event) {
    if (event.key === 'ArrowDown') {
      event.preventDefault();
      this.move(0);
    } else if (event.key === 'Enter' && this.#shown.length > 0) {
      event.preventDefault();
      this.#focus(this.#shown[0]);
      this.#choose(this.#shown[0]);
      if (this.#byRow.get(this.#focused) instanceof Group) this.move(0);
    } else if (event.key === 'Escape') {
      event.stopPropagation();
      if (event.target.value === '') this.move(0);
      event.target.value = '';
      this.render();
    }
  }
}

function titleOf({ by, first }) {
  if (by === 'worker') return first.worker_id;
  return by === 'server' ? first.server_slug : by === 'message' ? 'Same message' : serverOf(first);
}
