import { badge, byId, h, setAttribute, setText } from './dom.js';
import { ago, groupOf, moment, plural, statusText } from './format.js';

const SHOWN = 200;
const ORDER = ['dead', 'bad', 'auth', 'off', 'move', 'unknown', 'ok'];
const FILTERS = [
  ['all', 'All', () => true],
  ['trouble', 'Trouble', (group) => ['dead', 'bad', 'auth', 'off', 'unknown'].includes(group)],
  ['move', 'In transition', (group) => group === 'move'],
  ['ok', 'Online', (group) => group === 'ok'],
];

const searched = (it) =>
  [it.process_id, it.installation_name, it.server_slug, it.installation_id, it.team_id, it.user_id, it.worker_id,
    it.status, statusText(it.status), it.pid ? `pid ${it.pid}` : '', it.dormant ? 'dormant' : '']
    .filter(Boolean).join('\n').toLowerCase();

export const nameOf = (it) => it.installation_name || it.process_id;

/** The table of instances: searched, filtered, moved in by keys. Worst first, then by name. */
export class List {
  #open;
  #rows = new Map();
  #shown = [];
  #focused = null;
  #opened = null;
  #filter = 'all';
  #instances = new Map();

  /** Calls open(id) when the user wants to see an instance. */
  constructor(open) {
    this.#open = open;
    for (const [id, label] of FILTERS) {
      const input = h('input', { type: 'radio', name: 'filter', value: id, '.checked': id === 'all' });
      byId('filters').append(h('label', { class: 'chip' }, input, h('span', null, label), h('span', { class: 'count', id: `count-${id}` })));
      input.addEventListener('change', () => { this.#filter = id; this.render(); });
    }
    byId('search').addEventListener('input', () => this.render());
    byId('search').addEventListener('keydown', (event) => this.#searchKey(event));
    byId('rows').addEventListener('keydown', (event) => this.#rowKey(event));
    byId('rows').addEventListener('click', (event) => {
      const row = event.target.closest('tr');
      if (row) this.#open(row.dataset.id);
    });
    byId('rows').addEventListener('focusin', (event) => this.#focus(event.target.closest('tr')?.dataset.id));
    setInterval(() => this.#tick(), 1000);
  }

  show(instances) {
    this.#instances = instances;
    this.render();
  }

  /** Marks the instance that is open, or none. */
  opened(id) {
    const before = this.#opened;
    this.#opened = id;
    for (const changed of [before, id]) this.#rows.get(changed)?.setAttribute('aria-selected', String(changed === id));
  }

  render() {
    const words = byId('search').value.toLowerCase().split(/\s+/).filter(Boolean);
    const found = [...this.#instances.values()]
      .filter((it) => words.length === 0 || words.every((word) => searched(it).includes(word)));
    for (const [id, , accepts] of FILTERS) {
      setText(byId(`count-${id}`), String(found.filter((it) => accepts(groupOf(it.status))).length));
    }
    const accepts = FILTERS.find(([id]) => id === this.#filter)[2];
    const wanted = found.filter((it) => accepts(groupOf(it.status)))
      .sort((a, b) => ORDER.indexOf(groupOf(a.status)) - ORDER.indexOf(groupOf(b.status))
        || nameOf(a).localeCompare(nameOf(b), 'en', { numeric: true }));
    this.#place(wanted.slice(0, SHOWN));
    const all = this.#instances.size;
    setText(byId('list-count'), wanted.length === all ? plural(all, 'instance') : `${wanted.length} of ${plural(all, 'instance')}`);
    this.#say('list-more', wanted.length > SHOWN ? `${wanted.length - SHOWN} more: narrow the search to see them.` : '');
    this.#say('list-empty', wanted.length > 0 ? '' : all === 0 ? 'No instance is installed.' : 'No instance matches.');
  }

  #say(id, text) {
    byId(id).hidden = text === '';
    setText(byId(id), text);
  }

  /** Puts rows into the given order, moving only those that are not where they belong. */
  #place(wanted) {
    const body = byId('rows');
    this.#shown = wanted.map((it) => it.process_id);
    const kept = new Set(this.#shown);
    const focus = document.activeElement?.closest?.('#rows tr')?.dataset.id;
    for (const [id, row] of this.#rows) {
      if (!kept.has(id)) {
        row.remove();
        this.#rows.delete(id);
      }
    }
    let next = body.firstElementChild;
    for (const it of wanted) {
      let row = this.#rows.get(it.process_id);
      if (!row) {
        row = this.#row(it);
        this.#rows.set(it.process_id, row);
      }
      this.#fill(row, it);
      if (row === next) next = row.nextElementSibling;
      else body.insertBefore(row, next);
    }
    if (!kept.has(this.#focused)) this.#focus(this.#shown[0]);
    if (focus && kept.has(focus) && document.activeElement !== this.#rows.get(focus)) this.#rows.get(focus).focus();
  }

  #row(it) {
    return h('tr', { 'data-id': it.process_id, tabindex: it.process_id === this.#focused ? 0 : -1, 'aria-selected': String(it.process_id === this.#opened) },
      h('td', { class: 'cell-status' }),
      h('td', { class: 'cell-name' }, h('span', { class: 'name' }), h('span', { class: 'muted sub' })),
      h('td', { class: 'wide-only cell-worker' }),
      h('td', { class: 'number' }),
      h('td', { class: 'number wide-only muted' }));
  }

  #fill(row, it) {
    const [status, name, worker, crashes, since] = row.children;
    const group = groupOf(it.status);
    const text = it.dormant && it.status === 'online' ? 'online, dormant' : statusText(it.status);
    if (status.textContent !== text) status.replaceChildren(badge(group, text));
    setAttribute(row, 'data-group', group);
    setText(name.firstChild, nameOf(it));
    setText(name.lastChild, `${it.team_id} / ${it.user_id}`);
    setText(worker, it.worker_id);
    setText(crashes, it.crashes ? String(it.crashes) : '–');
    since.dataset.at = it.status_since;
    setAttribute(since, 'title', moment(it.status_since));
    setText(since, ago(it.status_since));
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

  #rowKey(event) {
    const moves = { ArrowDown: 1, ArrowUp: -1, PageDown: 10, PageUp: -10, Home: -SHOWN, End: SHOWN };
    if (event.key in moves) {
      event.preventDefault();
      this.move(moves[event.key]);
    } else if (event.key === 'Enter' || event.key === ' ') {
      event.preventDefault();
      this.#open(this.#focused);
    }
  }

  #searchKey(event) {
    if (event.key === 'ArrowDown') {
      event.preventDefault();
      this.move(0);
    } else if (event.key === 'Enter' && this.#shown.length > 0) {
      event.preventDefault();
      this.#focus(this.#shown[0]);
      this.#open(this.#shown[0]);
    } else if (event.key === 'Escape') {
      event.stopPropagation();
      if (event.target.value === '') this.move(0);
      event.target.value = '';
      this.render();
    }
  }
}
