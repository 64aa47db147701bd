// Builds elements. Everything that is shown becomes a text node here, so that nothing of it is ever markup, and is made visible,
// so that nothing of it reorders or hides its neighbours. No other file sets text.

import { visible } from './format.js';

// Attributes that people read; the others are keys and styles.
const READ = new Set(['title', 'aria-label']);

const shown = (child) => (typeof child === 'string' ? visible(child) : child);

const attribute = (name, value) => (READ.has(name) ? visible(String(value)) : String(value));

/** h('td', {class: 'number'}, 'text', element, null): attributes, `on…` listeners, properties by `.name`. */
export function h(tag, attributes, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith('on')) element.addEventListener(name.slice(2), value);
    else if (name.startsWith('.')) element[name.slice(1)] = value;
    else element.setAttribute(name, value === true ? '' : attribute(name, value));
  }
  element.append(...children.flat().filter((child) => child !== null && child !== undefined).map(shown));
  return element;
}

export const byId = (id) => document.getElementById(id);

/** Sets text only where it differs, so that selections and screen readers are left alone. */
export function setText(element, text) {
  const now = visible(text);
  if (element.textContent !== now) element.textContent = now;
}

export function setAttribute(element, name, value) {
  const now = attribute(name, value);
  if (element.getAttribute(name) !== now) element.setAttribute(name, now);
}

/** The name of the page's window. */
export function setTitle(text) {
  document.title = visible(text);
}

const SVG = 'http://www.w3.org/2000/svg';

// Each group of states has a shape of its own, so that colour is never the only difference.
const SHAPES = {
  ok: 'M8 2a6 6 0 1 1 0 12a6 6 0 1 1 0-12z',
  move: 'M8 2a6 6 0 1 1 0 12z M8 3.2a4.8 4.8 0 0 0 0 9.6v1.2a6 6 0 0 1 0-12z',
  off: 'M8 2a6 6 0 1 1 0 12a6 6 0 1 1 0-12zm0 2.2a3.8 3.8 0 1 0 0 7.6a3.8 3.8 0 1 0 0-7.6z',
  bad: 'M8 1.6 15 14H1z',
  auth: 'M8 1 15 8 8 15 1 8z',
  dead: 'M2.5 2.5h11v11h-11z',
  unknown: 'M3 7h10v2H3z',
};

/** A small drawing of a group of states; the text beside it says the same. */
export function shape(group) {
  const svg = document.createElementNS(SVG, 'svg');
  svg.setAttribute('viewBox', '0 0 16 16');
  svg.setAttribute('class', 'shape');
  svg.setAttribute('aria-hidden', 'true');
  const path = document.createElementNS(SVG, 'path');
  path.setAttribute('d', SHAPES[group] ?? SHAPES.unknown);
  svg.append(path);
  return svg;
}

export function badge(group, text) {
  return h('span', { class: 'badge', 'data-group': group }, shape(group), h('span', null, text));
}

export function time(at, text) {
  return h('time', { datetime: at, title: new Date(at).toLocaleString() }, text);
}
