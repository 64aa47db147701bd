import { badge, byId, h, setText } from './dom.js';
import { bytes, moment, plural } from './format.js';

/** Dead letters, the newest first: what they are, and where they were put back. */
export class Letters {
  #actions;
  #read = null;
  #selected = new Set();

  constructor(actions) {
    this.#actions = actions;
    byId('letters-reload').addEventListener('click', () => this.load());
    byId('letters-redrive').addEventListener('click', () => this.act());
    byId('letter-filter').addEventListener('input', () => this.#draw());
    byId('letters-all').addEventListener('change', (event) => {
      for (const it of this.#shown()) if (event.target.checked && !it.redriven_to) this.#selected.add(it.place); else this.#selected.delete(it.place);
      this.#draw();
    });
  }

  show() {
    this.load();
  }

  async load() {
    setText(byId('letters-said'), 'Reading the dead letters…');
    const [status, answer] = await ask();
    if (status !== 200) {
      setText(byId('letters-said'), answer.error ?? 'The gateway did not answer.');
      return;
    }
    this.#read = answer;
    const open = new Set(answer.letters.filter((it) => !it.redriven_to).map((it) => it.place));
    for (const place of this.#selected) if (!open.has(place)) this.#selected.delete(place);
    this.#draw();
  }

  /** Moves the focus by rows. */
  move(step) {
    const boxes = [...byId('letter-rows').querySelectorAll('input:not(:disabled)')];
    const at = boxes.findIndex((it) => it.closest('tr').contains(document.activeElement));
    boxes[Math.min(boxes.length - 1, Math.max(0, at < 0 ? 0 : at + step))]?.focus();
  }

  /** Asks why those that are selected are put back, or the one in focus. */
  act() {
    const focused = document.activeElement.closest('#letter-rows tr')?.dataset.place;
    const chosen = this.#selected.size > 0 ? [...this.#selected] : [focused].filter((it) => this.#open(it));
    if (chosen.length > 0) this.#redrive(chosen);
  }

  #open(place) {
    return this.#read?.letters.some((it) => it.place === place && !it.redriven_to);
  }

  #redrive(places) {
    const what = places.length === 1 ? `Dead letter ${places[0]}` : plural(places.length, 'dead letter');
    this.#actions.openLetters(places, what, () => this.load());
  }

  #shown() {
    const words = byId('letter-filter').value.toLowerCase().split(/\s+/).filter(Boolean);
    const text = (it) => [it.place, it.key, it.reason, it.detail, it.origin, it.redriven_to].join(' ').toLowerCase();
    return (this.#read?.letters ?? []).filter((it) => words.every((word) => text(it).includes(word)));
  }

  #draw() {
    if (!this.#read) return;
    const { letters, complete } = this.#read;
    const may = this.#actions.allows('redrive');
    const shown = this.#shown();
    const open = shown.filter((it) => !it.redriven_to);
    setText(byId('letters-said'), [
      letters.length === 0 ? (complete ? 'There is no dead letter.' : 'No dead letter is among the newest records.')
        : `${plural(shown.length, 'dead letter')}${shown.length < letters.length ? ` of ${letters.length.toLocaleString('en')}` : ''}, ${open.length.toLocaleString('en')} not put back.`,
      complete ? '' : 'There are older ones: perigee dead-letters list looks at all.',
    ].filter(Boolean).join(' '));
    byId('letters-redrive').hidden = !may;
    byId('letters-redrive').disabled = this.#selected.size === 0;
    setText(byId('letters-redrive'), this.#selected.size === 0 ? 'Redrive…' : `Redrive ${this.#selected.size.toLocaleString('en')}…`);
    byId('letters-all').closest('th').hidden = !may;
    byId('letters-all').disabled = open.length === 0;
    byId('letters-all').checked = open.length > 0 && open.every((it) => this.#selected.has(it.place));
    const focused = document.activeElement.closest('#letter-rows tr')?.dataset.place;
    const rows = shown.map((it) => this.#row(it, may));
    byId('letter-rows').replaceChildren(...rows);
    rows.find((it) => focused && it.dataset.place === focused)?.querySelector('input, button')?.focus();
  }

  #row(it, may) {
    const box = h('input', { type: 'checkbox', 'aria-label': `Select ${it.place}`, '.checked': this.#selected.has(it.place), disabled: Boolean(it.redriven_to),
      onchange: (event) => {
        if (event.target.checked) this.#selected.add(it.place);
        else this.#selected.delete(it.place);
        this.#draw();
      } });
    return h('tr', { 'data-place': it.place },
      may ? h('td', null, box) : null,
      h('td', { class: 'when' }, h('time', { datetime: it.time }, moment(it.time))),
      h('td', { class: 'path' }, it.key ?? '–'),
      h('td', null, badge('bad', it.reason), h('div', { class: 'sub' }, it.detail)),
      h('td', { class: 'muted path' }, it.origin, h('div', { class: 'sub' }, `${bytes(it.size_bytes)}, letter ${it.place}`)),
      h('td', null, it.redriven_to ? badge('ok', 'put back') : null, it.redriven_to ? h('div', { class: 'sub path' }, it.redriven_to) : null,
        it.redrives > 0 ? h('div', { class: 'sub' }, `came back, was put back ${plural(it.redrives, 'time')}`) : null,
        may && !it.redriven_to ? h('button', { type: 'button', 'data-action': 'redrive', 'aria-haspopup': 'dialog', 'aria-label': `Redrive ${it.place}`,
          onclick: () => this.#redrive([it.place]) }, 'Redrive') : null));
  }
}

async function ask() {
  try {
    const response = await fetch('api/letters', { cache: 'no-store' });
    return [response.status, await response.json()];
  } catch {
    return [0, {}];
  }
}
