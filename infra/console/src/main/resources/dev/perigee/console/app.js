import { byId, h, setAttribute, setText, setTitle } from './dom.js';
import { plural } from './format.js';
import { Actions } from './actions.js';
import { Calls } from './calls.js';
import { Detail } from './detail.js';
import { FleetPage } from './fleet.js';
import { List } from './list.js';
import { Letters } from './letters.js';
import { logout, offerOidc, prepareLogin } from './login.js';
import { Runbooks } from './runbooks.js';
import { Stream, ask } from './stream.js';

const VIEWS = ['instances', 'fleet', 'calls', 'letters', 'runbooks', 'login'];
const TITLES = { instances: 'Instances', fleet: 'Fleet', calls: 'Find a call', letters: 'Dead letters', runbooks: 'Runbooks' };
let view = null;
let openId = null;
let loggedOut = false;
let pending = null;
let shownAsRead = null;

const stream = new Stream({ changed, state: liveness, refused });
const actions = new Actions();
const list = new List((id) => go(`#/instances/${encodeURIComponent(id)}`), actions);
const detail = new Detail(() => go('#/instances'), actions);
const fleetPage = new FleetPage(actions);
const runbooks = new Runbooks();
const calls = new Calls((id) => go(`#/calls/${encodeURIComponent(id)}`));
const letters = new Letters(actions);
const showFleet = () => fleetPage.show(stream.fleet, stream.instances.values());

function liveness(state, text) {
  setAttribute(byId('live'), 'data-state', state);
  setText(byId('live'), text);
}

/** Draws at most once a frame, whatever came. */
function changed(what) {
  if (pending) {
    for (const part of Object.keys(what)) pending[part] ||= what[part];
    return;
  }
  pending = { ...what };
  // Frames are not drawn for a page in the background, which must not fall behind for ever.
  const draw = document.hidden ? (then) => setTimeout(then, 500) : requestAnimationFrame;
  draw(() => {
    const now = pending;
    pending = null;
    if (now.list || shownAsRead !== stream.read) list.show(stream.instances, stream.read);
    if (now.fleet && stream.fleet) {
      if (view === 'fleet') showFleet();
      setText(byId('where'), stream.fleet.gateway_id);
      notices(stream.fleet);
    }
    if (openId !== null && (now.detail || now.list || shownAsRead !== stream.read)) showDetail();
    shownAsRead = stream.read;
  });
}

const showDetail = () => detail.show(stream.instances.get(openId), stream.detail, stream.read);

function notices({ reading, obstacles }) {
  const told = [];
  if (reading.problem) told.push(['bad', `The topics cannot be read: ${reading.problem}`]);
  else if (!reading.caught_up) told.push(['move', 'Reading the topics…']);
  const broker = obstacles.filter((it) => it.part === 'broker');
  broker.forEach((it) => told.push(['bad', it.reason]));
  const others = obstacles.length - broker.length;
  if (others > 0) told.push(['bad', `This gateway is not ready: ${plural(others, 'obstacle')}, see Fleet.`]);
  if (reading.forgotten_instances > 0) told.push(['off', `${plural(reading.forgotten_instances, 'instance')} that did not change for longest are not shown.`]);
  if (reading.dropped_entries > 0) told.push(['off', `${plural(reading.dropped_entries, 'older entry', 'older entries')} of history gave way (console.memory).`]);
  if (reading.unreadable > 0) told.push(['off', `${plural(reading.unreadable, 'record')} of the topics could not be read.`]);
  const key = told.join('\n');
  if (byId('notices').dataset.key === key) return;
  byId('notices').dataset.key = key;
  byId('notices').replaceChildren(...told.map(([group, text]) => h('p', { class: 'notice', 'data-group': group }, text)));
}

function refused(status, reason) {
  liveness('lost', 'Not connected');
  byId('login').querySelectorAll('label, #token, button').forEach((it) => { it.hidden = status !== 401; });
  byId('login-text').hidden = status !== 401;
  if (status === 401) offerOidc(); else byId('login-oidc').hidden = true;
  setText(byId('login-error'), status === 401 ? '' : reason ?? '');
  loggedOut = true;
  byId('logout').hidden = true;
  show('login');
  byId('token').focus();
}

function show(name) {
  view = name;
  for (const each of VIEWS) {
    byId(`view-${each}`).hidden = each !== name;
    const link = byId(`nav-${each}`);
    if (link && each === name) link.setAttribute('aria-current', 'page');
    else link?.removeAttribute('aria-current');
  }
  document.body.dataset.view = name;
}

/** Goes where the address says; again to connect anew, wherever that is. */
function route(again = false) {
  if (loggedOut) return;
  const [, name, id] = location.hash.match(/^#\/(instances|fleet|calls|letters|runbooks)(?:\/(.+))?$/) ?? [null, 'instances', null];
  const wanted = name === 'instances' && id ? decodeURIComponent(id) : null;
  show(name);
  if (name === 'fleet' && stream.fleet) showFleet();
  if (name === 'calls') calls.show(id ? decodeURIComponent(id) : null);
  if (name === 'letters') letters.show();
  if (name === 'runbooks') runbooks.show(id ? decodeURIComponent(id) : null);
  if (again || wanted !== openId) {
    const before = openId;
    openId = wanted;
    document.body.classList.toggle('has-detail', openId !== null);
    detail.open(openId);
    list.opened(openId);
    stream.open(openId);
    if (openId !== null) {
      showDetail();
      detail.focus();
    } else if (before !== null && name === 'instances') list.move(0);
  }
  setTitle(openId ? `${openId} · Perigee` : `${TITLES[name]} · Perigee`);
}

function go(hash) {
  location.hash = hash;
  route();
}

async function begin() {
  const [status, answer] = await ask();
  if (status === 401 || status === 403) {
    refused(status, answer);
    return;
  }
  loggedOut = false;
  byId('logout').hidden = !answer?.logged_in;
  actions.role = answer?.role;
  byId('login-open').hidden = answer?.logged_in || !answer?.has_tokens;
  setText(byId('who'), actions.role === 'read' ? 'read only' : `${answer.name}, ${actions.role}`);
  if (answer?.gateway_id) setText(byId('where'), answer.gateway_id);
  route(true);
}

document.addEventListener('keydown', (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || byId('help').open || byId('action').open || loggedOut) return;
  const typing = event.target.closest('input[type=search], input[type=password], input[type=text], textarea, select');
  if (event.key === 'Escape') {
    if (openId !== null) go('#/instances');
    return;
  }
  if (typing) return;
  const actions = {
    '/': () => {
      if (view !== 'instances' && view !== 'letters') go('#/instances');
      const field = byId(view === 'letters' ? 'letter-filter' : 'search');
      field.focus();
      field.select();
    },
    j: () => { if (view === 'instances') list.move(1); else if (view === 'letters') letters.move(1); },
    k: () => { if (view === 'instances') list.move(-1); else if (view === 'letters') letters.move(-1); },
    o: () => detail.tab('overview'),
    l: () => detail.tab('logs'),
    c: () => detail.tab('calls'),
    g: () => { if (view === 'instances') byId('group-by').focus(); },
    i: () => go('#/instances'),
    f: () => go('#/fleet'),
    t: () => go('#/calls'),
    d: () => go('#/letters'),
    r: () => go('#/runbooks'),
    a: () => { if (openId !== null) detail.act(); else if (view === 'instances') list.act(); else if (view === 'letters') letters.act(); },
    '?': () => byId('help').showModal(),
  };
  if (event.key in actions) {
    event.preventDefault();
    actions[event.key]();
  }
});

byId('skip').addEventListener('click', (event) => {
  event.preventDefault();
  byId('main').focus();
});
byId('help-open').addEventListener('click', () => byId('help').showModal());
byId('login-open').addEventListener('click', () => {
  stream.close();
  refused(401, '');
});
byId('logout').addEventListener('click', async () => {
  stream.close();
  await logout();
  location.reload();
});
window.addEventListener('hashchange', () => route());
prepareLogin(begin);
begin();
