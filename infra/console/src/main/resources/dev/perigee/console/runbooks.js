import { byId, h } from './dom.js';
import { runbookOf } from './alerts.js';

const INLINE = /`([^`]+)`|\*\*([^*]+)\*\*|\*([^*]+)\*|\[([^\]]+)\]\(([^)]*)\)/g;

/** The runbooks that came with this gateway: an entry for each alert. */
export class Runbooks {
  #entries = null;
  #wanted = null;

  /** Shows an alert's entry, or all of them. */
  async show(alert) {
    this.#wanted = alert;
    try {
      this.#entries ??= await read();
    } catch {
      byId('runbooks').replaceChildren(h('p', { class: 'muted' }, 'The runbooks could not be loaded; they are in docs/runbooks.md.'));
      return;
    }
    if (this.#wanted === alert) this.#draw(alert);
  }

  #draw(alert) {
    const found = this.#entries.find((it) => it.name === alert);
    byId('runbooks').replaceChildren(
      h('nav', { class: 'runbook-names', 'aria-label': 'Alerts' }, h('ul', null, this.#entries.filter((it) => it.name).map((it) => h('li', null,
        h('a', { href: runbookOf(it.name), 'aria-current': it.name === alert ? 'true' : null }, it.name.replace(/^Perigee/, '')))))),
      h('article', { class: 'card runbook' }, alert && !found ? h('p', null, `There is no entry for ${alert}.`)
        : [h('h2', null, found ? found.name : 'What to look at first'), ...(found ?? this.#entries[0]).blocks.map(block)]));
  }
}

async function read() {
  const response = await fetch('runbooks.md');
  if (!response.ok) throw new Error(String(response.status));
  const [first, ...rest] = (await response.text()).split(/^## /m);
  const entry = (text) => {
    const end = text.indexOf('\n');
    return { name: text.slice(0, end).trim(), blocks: blocks(text.slice(end)) };
  };
  return [{ name: '', blocks: blocks(first.replace(/^# .*$/m, '')) }, ...rest.map(entry)];
}

/** Paragraphs, one for each line that begins with a word in bold, and code. */
function blocks(text) {
  return text.split(/```(?:sh)?\n/).flatMap((part, at) => (at % 2 === 1 ? [{ code: part.trimEnd() }]
    : part.split(/\n\n|\n(?=\*\*)/).map((it) => it.trim()).filter(Boolean).map((it) => ({ text: it.replace(/\n/g, ' ') }))));
}

const block = (it) => (it.code ? h('pre', { tabindex: 0 }, it.code) : h('p', null, inline(it.text)));

function inline(text) {
  const nodes = [];
  let from = 0;
  for (const found of text.matchAll(INLINE)) {
    const [all, code, strong, emphasis, label, target] = found;
    nodes.push(text.slice(from, found.index));
    if (code) nodes.push(h('code', null, code));
    else if (strong) nodes.push(h('strong', null, strong));
    else if (emphasis) nodes.push(h('em', null, emphasis));
    else nodes.push(target.startsWith('#perigee') ? h('a', { href: runbookOf(label) }, label) : label.replaceAll('`', ''));
    from = found.index + all.length;
  }
  nodes.push(text.slice(from));
  return nodes;
}
