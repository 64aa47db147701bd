// What people do here: a dialog asks why, the gateway records it and does it, and how far it came is shown.

import { byId, h, setText } from './dom.js';
import { plural } from './format.js';

const ROLES = ['read', 'operate', 'admin'];
const MOST = 1000;
const LOOK_MS = 500;
const LIST_MS = 2000;
const IDLE_MS = 10000;
const ACT = { headers: { 'Content-Type': 'application/json', 'X-Perigee-Console': '1' } };

// Each: name, least role, what it does.
const ACTIONS = {
  restart: ['Restart', 'operate', 'Restarts with a fresh crash budget. Calls under way fail.'],
  recover: ['Recover', 'operate', 'Has a server over HTTP discovered again. A local server is left as it is.'],
  block: ['Block', 'operate', 'Stops it until somebody unblocks, restarts or installs it again. Calls are answered “stopped”.'],
  unblock: ['Unblock', 'operate', 'Starts what was blocked.'],
  disable_tool: ['Disable a tool', 'operate', 'Hides the tool and refuses its calls until it is enabled again.'],
  enable_tool: ['Enable a tool', 'operate', 'Shows a disabled tool again and lets its calls pass.'],
  redrive: ['Redrive', 'operate', 'Puts it back where it came from, once, as if it were sent now. It is not changed: “perigee redrive” can edit.'],
  drain: ['Drain', 'admin', 'Lets every partition leave the worker. It takes nothing new until it restarts or the drain is undone.'],
  undo_drain: ['Undo the drain', 'admin', 'Lets the worker take partitions again.'],
};

const OF_GROUP = ['restart', 'recover', 'block', 'unblock'];
const OF_INSTANCE = ['restart', 'recover', 'block', 'unblock', 'disable_tool', 'enable_tool'];
const OF_WORKER = ['drain', 'undo_drain'];

export class Actions {
  #role = 'read';
  #asked = null;
  #run = 0;
  #begun = '';
  #notStopped = '';
  #looking = null;

  constructor() {
    byId('action-form').addEventListener('submit', (event) => {
      event.preventDefault();
      this.#send();
    });
    byId('action-close').addEventListener('click', () => byId('action').close());
    byId('action-stop').addEventListener('click', () => this.#stop());
    byId('action').addEventListener('close', () => {
      this.#run += 1;
      this.#look();
      this.#asked?.closed?.();
    });
    byId('action-kind').addEventListener('change', (event) => this.#kind(event.target.value));
  }

  set role(role) {
    this.#role = ROLES.includes(role) ? role : 'read';
    this.#look();
  }

  get role() {
    return this.#role;
  }

  allows(action) {
    return ROLES.indexOf(this.#role) >= ROLES.indexOf(ACTIONS[action][1]);
  }

  /** Buttons for an instance, none where the role allows none; tools() gives names to choose from. */
  forInstance(it, tools) {
    const shown = OF_INSTANCE.filter((action) => this.allows(action) && (action !== 'unblock' || it.status === 'offline'));
    return shown.map((action) => this.#button(action, `${ACTIONS[action][0]}: ${it.process_id}`, () => this.#open({
      kinds: [action], processes: [it.process_id], what: it.process_id, tools })));
  }

  forWorker(id) {
    return OF_WORKER.filter((action) => this.allows(action))
      .map((action) => this.#button(action, `${ACTIONS[action][0]}: ${id}`, () => this.#open({ kinds: [action], worker: id, what: id })));
  }

  /** Asks what to do to the instances of a group. */
  openGroup(title, instances) {
    if (!this.allows('restart')) return;
    const processes = instances.slice(0, MOST).map((it) => it.process_id);
    const first = processes.length < instances.length ? `the first ${MOST.toLocaleString('en')} of ` : '';
    this.#open({ kinds: OF_GROUP, processes, what: `${first}${plural(instances.length, 'instance')}: ${title}` });
  }

  /** Asks why dead letters are put back; calls closed() when the dialog is. */
  openLetters(letters, what, closed) {
    if (this.allows('redrive')) this.#open({ kinds: ['redrive'], letters, what, closed });
  }

  #button(action, label, onclick) {
    return h('button', { type: 'button', 'data-action': action, 'aria-haspopup': 'dialog', 'aria-label': label, onclick }, ACTIONS[action][0]);
  }

  #open(asked) {
    this.#asked = asked;
    byId('action-form').reset();
    byId('action-kind-field').hidden = asked.kinds.length === 1;
    byId('action-kind').replaceChildren(...asked.kinds.map((kind) => h('option', { value: kind }, ACTIONS[kind][0])));
    setText(byId('action-what'), asked.what);
    const count = (asked.processes ?? asked.letters)?.length ?? 1;
    byId('action-count-field').hidden = count === 1;
    byId('action-count').required = count > 1;
    setText(byId('action-count-label'), `How many are there? Type ${count} to confirm`);
    byId('action-tools').replaceChildren(...(asked.tools?.() ?? []).map((name) => h('option', { value: name })));
    setText(byId('action-error'), '');
    setText(byId('action-progress'), '');
    byId('action-outcomes').replaceChildren();
    this.#kind(asked.kinds[0]);
    this.#busy(false);
    byId('action').showModal();
    byId(asked.kinds.length > 1 ? 'action-kind' : this.#needsTool ? 'action-tool' : 'action-reason').focus();
  }

  get #needsTool() {
    return byId('action-kind').value.endsWith('_tool');
  }

  #kind(kind) {
    const [name, , does] = ACTIONS[kind];
    setText(byId('action-title'), name);
    setText(byId('action-do'), name);
    setText(byId('action-does'), does);
    setText(byId('action-reason-label'), kind === 'redrive' ? 'Reason, for the audit topic' : 'Reason, for the audit topic and the user');
    byId('action-tool-field').hidden = !this.#needsTool;
    byId('action-tool').required = this.#needsTool;
  }

  #busy(busy, done = false) {
    for (const field of ['kind', 'tool', 'reason', 'count']) byId(`action-${field}`).disabled = busy || done;
    byId('action-do').hidden = busy || done;
    byId('action-stop').hidden = true;
    setText(byId('action-close'), busy || done ? 'Close' : 'Cancel');
  }

  async #send() {
    const { processes, letters, worker } = this.#asked;
    const count = (processes ?? letters)?.length ?? 1;
    setText(byId('action-error'), '');
    this.#notStopped = '';
    if (count > 1 && byId('action-count').value.trim() !== String(count)) {
      setText(byId('action-error'), `Type ${count} to confirm how many are meant.`);
      byId('action-count').focus();
      return;
    }
    const run = (this.#run += 1);
    const body = {
      action: byId('action-kind').value,
      reason: byId('action-reason').value,
      tool: this.#needsTool ? byId('action-tool').value : undefined,
      process_ids: processes,
      letters,
      count,
      worker,
    };
    this.#busy(true);
    setText(byId('action-progress'), 'Asking…');
    const [status, answer] = await ask('api/actions', {
      ...ACT,
      method: 'POST',
      body: JSON.stringify(body),
    });
    if (run !== this.#run) {
      this.#look(); // The dialog was closed meanwhile, and this may have begun since.
      return;
    }
    if (status !== 202) {
      this.#busy(false);
      setText(byId('action-progress'), '');
      setText(byId('action-error'), answer.error ?? 'The gateway does not answer.');
      byId('action-reason').focus();
      return;
    }
    byId('action-close').focus();
    this.#begun = answer.request_id;
    byId('action-stop').hidden = count === 1;
    byId('action-stop').disabled = false;
    await this.#follow(run, answer);
  }

  // What was begun goes on; the loop that follows shows how it ended.
  async #stop() {
    const run = this.#run;
    byId('action-close').focus();
    byId('action-stop').disabled = true;
    const why = await stop(this.#begun);
    if (why === '' || run !== this.#run) return;
    this.#notStopped = why;
    setText(byId('action-error'), why);
    byId('action-stop').disabled = false;
  }

  // Shows what goes on with nobody's dialog open. Without an answer it shows what it did.
  async #look() {
    clearTimeout(this.#looking);
    const [status, answer] = this.allows('restart') ? await ask('api/actions', { cache: 'no-store' }) : [200, {}];
    clearTimeout(this.#looking);
    const allowed = this.allows('restart'); // It may be somebody else's page by now.
    if (!allowed || status === 200) this.#list(allowed ? answer.actions ?? [] : []);
    const wait = byId('action-runs').childElementCount > 0 ? LIST_MS : IDLE_MS;
    if (allowed) this.#looking = setTimeout(() => this.#look(), wait);
  }

  /** Each row is made once, so that the focus stays on its button. */
  #list(runs) {
    const rows = byId('action-runs');
    const open = new Set(runs.map((it) => it.request_id));
    [...rows.children].filter((row) => !open.has(row.dataset.run)).forEach((row) => row.remove());
    for (const { request_id: id, action, total, begun } of runs) {
      let row = [...rows.children].find((it) => it.dataset.run === id);
      if (!row) {
        const error = h('span', { class: 'error', role: 'alert' });
        const onclick = async () => setText(error, await stop(id));
        row = h('p', { class: 'notice', 'data-group': 'move', 'data-run': id }, h('span', null), ' ',
          h('button', { type: 'button', 'aria-label': `Stop: ${ACTIONS[action][0]}, ${id}`, onclick }, 'Stop'), ' ', error);
        rows.append(row);
      }
      setText(row.firstChild, `${ACTIONS[action][0]}: ${begun} of ${total} begun.`);
    }
  }

  async #follow(run, begun) {
    let now = begun;
    while (run === this.#run) {
      this.#shown(now);
      if (now.done) {
        this.#busy(false, true);
        return;
      }
      await new Promise((resolve) => { setTimeout(resolve, LOOK_MS); });
      const [status, answer] = await ask(`api/actions?id=${encodeURIComponent(begun.request_id)}`, { cache: 'no-store' });
      if (status === 200) now = answer;
      else if (status === 404) now = { ...now, done: true, problem: 'How far it came is not known any more: see the audit topic.' };
    }
  }

  #shown({ total, begun, completed, failed, done, problem, outcomes }) {
    const counts = total === 1 ? '' : ` ${begun} of ${total} begun, ${completed} completed, ${failed} failed.`;
    const state = !done ? 'Recorded, under way…' : problem ? 'Ended early.' : failed > 0 ? 'Done, not all as wanted.' : 'Done.';
    setText(byId('action-progress'), state + counts);
    setText(byId('action-error'), problem ?? (done ? '' : this.#notStopped));
    byId('action-outcomes').replaceChildren(...outcomes.map((it) => h('li', { 'data-group': it.completed ? 'ok' : 'bad' },
      total === 1 ? it.text : `${it.target}: ${it.text}`)));
  }
}

/** Stops an action; returns why it could not, else nothing. */
async function stop(id) {
  const [status, answer] = await ask(`api/actions?id=${encodeURIComponent(id)}`, { ...ACT, method: 'DELETE' });
  return status === 200 ? '' : answer.error ?? 'The gateway does not answer.';
}

async function ask(path, options) {
  try {
    const response = await fetch(path, options);
    return [response.status, await response.json()];
  } catch {
    return [0, {}];
  }
}
