import { badge, byId, h, setAttribute, setText, shape, time } from './dom.js';
import { ago, clockMillis, duration, groupOf, moment, pretty, statusText } from './format.js';
import { nameOf } from './list.js';
import { Timeline, stretches } from './timeline.js';

const TABS = [['overview', 'Overview', 'o'], ['logs', 'Logs', 'l'], ['calls', 'Calls', 'c']];
const READING = 'Reading the topics…';
const EVENT_GROUPS = {
  started: 'ok', restarted: 'ok', respawned: 'ok', crashed: 'bad', permanently_failed: 'dead',
  dormant: 'off', exited: 'off', stopped: 'off', updated: 'move',
};

/** Appends what is new to a list and removes what the stream no longer keeps. */
class Feed {
  #last = 0;
  #make;
  element;

  constructor(element, make) {
    this.element = element;
    this.#make = make;
  }

  show(entries) {
    const first = entries[0]?.n ?? Infinity;
    while (this.element.firstElementChild && Number(this.element.firstElementChild.dataset.n) < first) {
      this.element.firstElementChild.remove();
    }
    const fresh = entries.filter((entry) => entry.n > this.#last);
    for (const entry of fresh) {
      const made = this.#make(entry);
      made.dataset.n = entry.n;
      this.element.append(made);
    }
    this.#last = entries.at(-1)?.n ?? this.#last;
    return fresh.length;
  }
}

/** One instance: what it is, its statuses and restarts, its logs and calls as they come. */
export class Detail {
  #id = null;
  #tab = 'overview';
  #parts = null;
  #close;
  #actions;
  #offered = '';
  #statusKey = '';
  #latest = null;
  #read = false;
  #known = false;

  constructor(close, actions) {
    this.#close = close;
    this.#actions = actions;
    setInterval(() => this.#tick(), 1000);
  }

  /** Shows an instance; null closes. */
  open(id) {
    this.#id = id;
    const root = byId('detail');
    root.hidden = id === null;
    if (id === null) {
      root.replaceChildren();
      this.#parts = null;
      return;
    }
    this.#statusKey = '';
    this.#build(root);
    this.tab('overview');
  }

  get isOpen() {
    return this.#id !== null;
  }

  focus() {
    byId('detail').focus();
  }

  /** Moves the focus to the first thing that can be done. */
  act() {
    this.#parts?.actions.querySelector('button')?.focus();
  }

  tab(name) {
    if (!this.#parts) return;
    this.#tab = name;
    for (const [id] of TABS) {
      const tab = this.#parts.tabs[id];
      setAttribute(tab, 'aria-selected', String(id === name));
      setAttribute(tab, 'tabindex', id === name ? '0' : '-1');
      this.#parts.panels[id].hidden = id !== name;
    }
    if (name === 'logs') this.#follow(true);
    if (name === 'overview') this.#parts.timeline.draw();
  }

  /** The newest of the instance, undefined where it is not in the list, and of its history; whether all there was has been read. */
  show(instance, history, read) {
    if (!this.#parts || history?.id !== this.#id) return;
    this.#latest = { instance, history };
    this.#read = read;
    this.#known = read && history.loaded;
    this.#head(instance);
    this.#overview(history);
    this.#logs(history.logs);
    this.#calls(history.calls);
  }

  #build(root) {
    const parts = { tabs: {}, panels: {}, timeline: new Timeline() };
    parts.status = h('span', { class: 'detail-status' });
    parts.message = h('p', { class: 'message', hidden: true });
    parts.actions = h('div', { class: 'actions', role: 'group', 'aria-label': 'Actions', hidden: true });
    this.#offered = '';
    parts.facts = h('dl', { class: 'facts' });
    parts.statuses = h('tbody');
    parts.events = h('tbody');
    parts.eventsNote = h('p', { class: 'note' });
    parts.statusesNote = h('p', { class: 'note' });
    parts.logList = h('ol', { class: 'log-lines', role: 'log', 'aria-live': 'off', 'aria-label': 'Log lines', tabindex: 0 });
    parts.logNote = h('p', { class: 'note' });
    parts.logFollow = h('button', { type: 'button', class: 'follow', hidden: true, onclick: () => this.#follow(true) }, 'Newest ↓');
    parts.logFeed = new Feed(parts.logList, logLine);
    parts.callBody = h('tbody');
    parts.callNote = h('p', { class: 'note' });
    parts.callFeed = null;
    parts.title = h('h2', { id: 'detail-title' });
    parts.path = h('p', { class: 'muted path' });
    const panel = (id, ...children) => (parts.panels[id] = h('div',
      { id: `panel-${id}`, role: 'tabpanel', class: `panel panel-${id}`, 'aria-labelledby': `tab-${id}`, hidden: true }, ...children));
    root.replaceChildren(
      h('header', { class: 'detail-head' },
        h('div', { class: 'detail-title' }, parts.title, parts.path),
        parts.status,
        h('button', { type: 'button', class: 'plain close', 'aria-label': 'Close the instance', title: 'Close (Esc)', onclick: () => this.#close() }, '✕')),
      parts.message,
      parts.actions,
      h('div', { class: 'tabs', role: 'tablist', 'aria-label': 'Instance', onkeydown: (event) => this.#tabKey(event) },
        TABS.map(([id, label, key]) => (parts.tabs[id] = h('button', {
          type: 'button', role: 'tab', id: `tab-${id}`, 'aria-controls': `panel-${id}`, 'aria-keyshortcuts': key,
          onclick: () => this.tab(id) }, label, h('span', { class: 'count' }))))),
      panel('overview',
        parts.facts,
        h('h3', null, 'Status over time'), parts.timeline.element,
        h('h3', null, 'Restarts and other events'), parts.eventsNote,
        h('table', { class: 'plain-table' }, headings('Time', 'Event', 'What happened', 'Worker'), parts.events),
        h('h3', null, 'Statuses'), parts.statusesNote,
        h('table', { class: 'plain-table' }, headings('Since', 'Status', 'Lasted', 'Message'), parts.statuses)),
      panel('logs', parts.logNote, parts.logList, parts.logFollow),
      panel('calls', parts.callNote,
        h('table', { class: 'plain-table calls' }, headings('Time', 'Tool', 'Outcome', 'Took'), parts.callBody)));
    parts.logList.addEventListener('scroll', () => { parts.logFollow.hidden = this.#atEnd(); });
    this.#parts = parts;
    this.#callsShown = 0;
  }

  #callsShown = 0;

  /** Offers what the role allows; drawn anew only where that changes, so that the focus stays. */
  #offer(it) {
    const key = it ? `${this.#actions.role} ${it.status === 'offline'}` : '';
    if (key === this.#offered) return;
    this.#offered = key;
    const { actions } = this.#parts;
    const focused = actions.contains(document.activeElement) ? document.activeElement.dataset.action : null;
    actions.replaceChildren(...(it ? this.#actions.forInstance(it, () => this.#toolsSeen()) : []));
    actions.hidden = !actions.firstElementChild;
    if (focused) (actions.querySelector(`[data-action=${focused}]`) ?? actions.firstElementChild)?.focus();
  }

  #toolsSeen() {
    const seen = (this.#latest?.history.calls.entries ?? []).map((it) => it.tool).filter(Boolean);
    return [...new Set(seen)].slice(-50);
  }

  #head(it) {
    const { title, path, status, message, facts } = this.#parts;
    setText(title, it ? nameOf(it) : this.#id);
    this.#offer(it);
    if (!it) {
      setText(path, this.#read ? 'This instance is not installed.' : READING);
      status.replaceChildren();
      facts.replaceChildren();
      message.hidden = true;
      return;
    }
    setText(path, it.process_id);
    const text = statusText(it.status);
    if (status.textContent !== text) status.replaceChildren(badge(groupOf(it.status), text));
    message.hidden = !it.status_message;
    setText(message, it.status_message ?? '');
    setAttribute(message, 'data-group', groupOf(it.status));
    const rows = [
      ['In this status', it.status_since ? `since ${moment(it.status_since)}, ${ago(it.status_since)}` : '–'],
      ['Server', it.server_slug], ['Version', it.server_version ?? '–'], ['Installation', it.installation_id], ['Team', it.team_id], ['User', it.user_id],
      ['Worker', it.worker_id], ['Partition', it.partition < 0 ? '?' : String(it.partition)],
      ['Process', it.pid ? `pid ${it.pid}` : it.dormant ? 'none until the next call (dormant)' : 'none'],
      ['Running for', it.started_at && it.pid ? duration(Date.now() - new Date(it.started_at)) : '–'],
      ['Crashes seen', String(it.crashes)],
      ['Requests', it.message_count === undefined ? '–'
        : `${it.message_count} sent, ${it.error_count} without an answer, ${it.active_requests} in flight`],
      ['Tools', it.tool_count === undefined ? '–' : String(it.tool_count)],
      ['Last activity', it.last_activity_at ? `${ago(it.last_activity_at)} ago` : '–'],
    ];
    if (facts.children.length !== rows.length) {
      facts.replaceChildren(...rows.map(([name]) => h('div', null, h('dt', null, name), h('dd'))));
    }
    rows.forEach(([, value], i) => setText(facts.children[i].lastChild, value));
  }

  #overview({ statuses, lifecycle }) {
    const { timeline, events, eventsNote, statuses: table, statusesNote } = this.#parts;
    const key = `${statuses.entries.at(-1)?.n}/${lifecycle.entries.at(-1)?.n}/${statuses.entries.length}/${this.#known}`;
    if (key === this.#statusKey) return;
    this.#statusKey = key;
    timeline.show(statuses.entries, lifecycle.entries);
    note(eventsNote, lifecycle, 'events', this.#known ? 'None was seen.' : READING);
    events.replaceChildren(...lifecycle.entries.filter((it) => !it.gap).toReversed().map((it) => h('tr', null,
      h('td', { class: 'when' }, time(it.at, moment(it.at))),
      h('td', null, badge(EVENT_GROUPS[it.event], it.event === 'updated' ? 'tools updated' : it.event.replaceAll('_', ' '))),
      h('td', null, it.detail),
      h('td', { class: 'muted' }, it.worker_id))));
    note(statusesNote, statuses, 'statuses', '');
    table.replaceChildren(...stretches(statuses.entries, Date.now()).toReversed().map((it) => h('tr', null,
      h('td', { class: 'when' }, time(it.at, moment(it.at))),
      h('td', null, badge(groupOf(it.status), statusText(it.status))),
      h('td', { class: 'when', 'data-from': it.last ? it.from : null }, duration(it.to - it.from)),
      h('td', null, it.message ?? ''))));
  }

  #logs(logs) {
    const { logFeed, logNote, tabs, logFollow } = this.#parts;
    const follow = this.#atEnd();
    const fresh = logFeed.show(logs.entries);
    setText(tabs.logs.lastChild, logs.entries.length ? String(logs.entries.length) : '');
    note(logNote, logs, 'lines', this.#known ? 'No log line was seen. New ones appear here by themselves.' : READING);
    if (fresh > 0 && follow) this.#follow(true);
    else if (fresh > 0) logFollow.hidden = false;
  }

  #calls(calls) {
    const { callBody, callNote, tabs } = this.#parts;
    setText(tabs.calls.lastChild, calls.entries.length ? String(calls.entries.length) : '');
    note(callNote, calls, 'calls', this.#known
      ? 'No call was seen. They appear here within seconds, unless the installation switched request logging off.' : READING);
    const first = calls.entries[0]?.n ?? Infinity;
    for (const row of [...callBody.children].reverse()) {
      if (Number(row.dataset.n) >= first) break;
      row.remove();
    }
    for (const call of calls.entries.filter((it) => it.n > this.#callsShown)) {
      callBody.prepend(...callRows(call));
      this.#callsShown = call.n;
    }
  }

  #atEnd() {
    const list = this.#parts.logList;
    return list.scrollHeight - list.scrollTop - list.clientHeight < 24;
  }

  #follow() {
    const list = this.#parts.logList;
    list.scrollTop = list.scrollHeight;
    this.#parts.logFollow.hidden = true;
  }

  #tick() {
    if (!this.#parts || document.hidden || !this.#latest) return;
    this.#head(this.#latest.instance);
    if (this.#tab !== 'overview') return;
    this.#parts.timeline.draw();
    const lasting = this.#parts.statuses.querySelector('[data-from]');
    if (lasting) setText(lasting, duration(Date.now() - Number(lasting.dataset.from)));
  }

  #tabKey(event) {
    const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!by) return;
    event.preventDefault();
    const at = TABS.findIndex(([id]) => id === this.#tab);
    const [to] = TABS[(at + by + TABS.length) % TABS.length];
    this.tab(to);
    this.#parts.tabs[to].focus();
  }
}

function headings(...names) {
  return h('thead', null, h('tr', null, names.map((name) => h('th', { scope: 'col' }, name))));
}

function note(element, slice, what, empty) {
  const text = slice.dropped > 0 ? `${slice.dropped.toLocaleString('en')} older ${what} are no longer kept.`
    : slice.entries.length === 0 ? empty : '';
  setText(element, text);
  element.hidden = text === '';
}

const LEVELS = { error: 'bad', warn: 'auth', debug: 'unknown', info: 'off' };

function logLine(entry) {
  if (entry.gap) return h('li', { class: 'gap' }, 'Lines were left out here: they came faster than this page could be told.');
  return h('li', { 'data-level': entry.level },
    time(entry.at, clockMillis(entry.at)),
    h('span', { class: 'level' }, shape(LEVELS[entry.level]), entry.level),
    h('span', { class: 'line' }, entry.message));
}

function callRows(call) {
  if (call.gap) return [h('tr', { 'data-n': call.n }, h('td', { colspan: 4, class: 'gap' }, 'Calls were left out here.'))];
  const more = h('tr', { 'data-n': call.n, class: 'call-more', hidden: true },
    h('td', { colspan: 4 },
      call.error ? h('p', { class: 'error' }, call.error) : null,
      h('h4', null, 'Parameters'), h('pre', { tabindex: 0 }, pretty(call.params) || '–'),
      h('h4', null, 'Response'), h('pre', { tabindex: 0 }, pretty(call.response) || '–')));
  const button = h('button', { type: 'button', class: 'expand', 'aria-expanded': 'false', onclick: () => {
    more.hidden = !more.hidden;
    button.setAttribute('aria-expanded', String(!more.hidden));
  } }, call.tool);
  return [h('tr', { 'data-n': call.n },
    h('td', { class: 'when' }, time(call.at, clockMillis(call.at))),
    h('td', null, button),
    h('td', null, badge(call.success ? 'ok' : 'bad', call.success ? 'success' : 'failed')),
    h('td', { class: 'when' }, `${call.response_time_ms} ms`)), more];
}
