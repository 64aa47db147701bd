import { h, setAttribute, setText } from './dom.js';
import { clock, duration, groupOf, moment, statusText } from './format.js';

const RANGES = [['10 min', 600_000], ['1 h', 3_600_000], ['All', Infinity]];
const LANES = [
  ['Online', ['ok']],
  ['In transition', ['move']],
  ['Trouble', ['off', 'bad', 'auth', 'dead', 'unknown']],
];

/** The stretches of time that statuses lasted; the last one lasts until now. */
export function stretches(statuses, now) {
  const points = statuses.filter((it) => !it.gap).toSorted((a, b) => new Date(a.at) - new Date(b.at));
  return points.map((point, i) => ({
    ...point,
    from: new Date(point.at).getTime(),
    to: i + 1 < points.length ? new Date(points[i + 1].at).getTime() : now,
    last: i + 1 === points.length,
  }));
}

/** Statuses over time: a lane for each kind of state, so that the height says what the colour says. */
export class Timeline {
  #range = 0;
  #statuses = [];
  #crashes = [];
  #chart = h('div', { class: 'chart', role: 'img' });
  #axis = h('div', { class: 'axis', 'aria-hidden': 'true' }, h('span'), h('span'), h('span'));
  element;

  constructor() {
    const name = `range-${Math.random()}`;
    this.element = h('div', { class: 'timeline' },
      h('div', { class: 'chips', role: 'radiogroup', 'aria-label': 'Time shown' },
        RANGES.map(([label], i) => {
          const input = h('input', { type: 'radio', name, '.checked': i === this.#range });
          input.addEventListener('change', () => { this.#range = i; this.draw(); });
          return h('label', { class: 'chip' }, input, h('span', null, label));
        })),
      h('div', { class: 'lanes' },
        h('div', { class: 'lane-names', 'aria-hidden': 'true' }, LANES.map(([label]) => h('span', null, label))),
        h('div', { class: 'plot' }, this.#chart, this.#axis)));
  }

  show(statuses, lifecycle) {
    this.#statuses = statuses;
    this.#crashes = lifecycle.filter((it) => it.event === 'crashed' || it.event === 'permanently_failed');
    this.draw();
  }

  draw(now = Date.now()) {
    const all = stretches(this.#statuses, now);
    if (all.length === 0) {
      this.#chart.replaceChildren(h('p', { class: 'empty' }, 'No status is known yet.'));
      return;
    }
    const begin = Math.max(Math.min(all[0].from, now - 10_000), now - RANGES[this.#range][1]);
    const share = (at) => (100 * (Math.min(now, Math.max(begin, at)) - begin)) / (now - begin);
    const bars = all.filter((it) => it.to > begin).map((it) => {
      const group = groupOf(it.status);
      const lane = LANES.findIndex(([, groups]) => groups.includes(group));
      const bar = h('span', { class: 'stretch', 'data-group': group, 'data-lane': lane,
        title: `${statusText(it.status)}, ${moment(it.at)}, ${duration(it.to - it.from)}` });
      bar.style.left = `${share(it.from)}%`;
      bar.style.width = `${share(it.to) - share(it.from)}%`;
      return bar;
    });
    const marks = this.#crashes.filter((it) => new Date(it.at).getTime() >= begin).map((it) => {
      const mark = h('span', { class: 'crash', title: `${it.event.replaceAll('_', ' ')} ${moment(it.at)}: ${it.detail}` });
      mark.style.left = `${share(new Date(it.at).getTime())}%`;
      return mark;
    });
    this.#chart.replaceChildren(...LANES.map(() => h('span', { class: 'lane' })), ...bars, ...marks);
    const last = all.at(-1);
    setAttribute(this.#chart, 'aria-label',
      `${all.length} statuses since ${moment(all[0].at)}; ${statusText(last.status)} for ${duration(now - last.from)}. The table below has each.`);
    [begin, (begin + now) / 2, now].forEach((at, i) =>
      setText(this.#axis.children[i], i === 2 ? 'now' : new Date(at).toDateString() === new Date(now).toDateString() ? clock(at) : moment(at)));
  }
}
