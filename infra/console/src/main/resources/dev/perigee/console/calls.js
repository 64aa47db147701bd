import { badge, byId, h, setText } from './dom.js';
import { clockMillis, moment, plural } from './format.js';

const GROUPS = { asked: 'move', answered: 'ok', cancelled: 'off', 'dead letter': 'bad' };

/** Finds a call by its request id or its trace: where it was, how long, which attempt. */
export class Calls {
  #asked = null;

  /** Calls search(id) when the user wants a call. */
  constructor(search) {
    byId('call-search').addEventListener('submit', (event) => {
      event.preventDefault();
      const id = byId('call-id').value.trim();
      if (id) search(id);
    });
  }

  /** Shows a call, or only where to ask for one. */
  async show(id) {
    if (id === null) {
      byId('call-id').focus();
      return;
    }
    byId('call-id').value = id;
    this.#asked = id;
    setText(byId('call-said'), 'Reading the topics…');
    byId('call-steps').replaceChildren();
    const [status, found] = await ask(id);
    if (this.#asked !== id) return;
    if (status !== 200) setText(byId('call-said'), found.error ?? 'The gateway did not answer.');
    else this.#draw(found);
  }

  #draw(found) {
    const { id, steps, since, complete, problem } = found;
    const open = new Set(steps.filter((it) => it.what === 'asked').map((it) => it.request_id));
    for (const step of steps) if (step.what !== 'asked' && step.what !== 'cancelled') open.delete(step.request_id);
    setText(byId('call-said'), problem ?? [
      steps.length === 0 ? `${complete ? 'Nothing' : 'Nothing of what could be looked at'} since ${moment(since)} is about ${id}.` : '',
      steps.length > 0 && open.size > 0 ? `${plural(open.size, 'request')} without an answer yet.` : '',
      complete ? '' : 'There are more records than are looked at: perigee trace looks at all.',
    ].filter(Boolean).join(' '));
    const first = steps.length ? new Date(steps[0].time).getTime() : 0;
    byId('call-steps').replaceChildren(...steps.map((it) => h('tr', null,
      h('td', { class: 'when' }, h('time', { datetime: it.time, title: moment(it.time) }, clockMillis(it.time))),
      h('td', { class: 'when' }, `${(new Date(it.time).getTime() - first).toLocaleString('en')} ms`),
      h('td', null, badge(it.what === 'answered' && /(?:^|: )failed\b/.test(it.text) ? 'bad' : GROUPS[it.what], it.what)),
      h('td', null, it.text),
      h('td', { class: 'muted path' }, it.record))));
  }
}

async function ask(id) {
  try {
    const response = await fetch(`api/call?${new URLSearchParams({ id })}`, { cache: 'no-store' });
    return [response.status, await response.json()];
  } catch {
    return [0, {}];
  }
}
