// A small MCP server over stdio for the worker's own tests. Flags: --mute --no-serverinfo --die TEXT --list-error-once
// --talk --logging
// --slow-init MS --ask --garbage --no-tools --die-if-file PATH
// --subscribe: has resources to subscribe to, but those whose URI begins with "no:", and lists that change; tool touch says that one changed, notify anything
// --catalog: says much of itself, and has prompts and resources; tools_set adds a prompt, too
// --era modern|both: speaks 2026-07-28, only or as well; --silent, --touchy: asked anything before initialize says nothing, exits
// --rounds: has tool book, which asks by results (input_required) and is asked again with the responses; of its arguments, all optional:
//   rounds N, bytes N of the question, state N bytes more of the state, method of its request, name of its request, idle N rounds that ask for nothing, ms each later round takes
// --tasks optional|required: has tool work, a call of which is a task, of the legacy or the modern shape. Its arguments, all optional: polls N until it is over, end with failed
//   or cancelled, poll the interval that it wants, bytes N of its message, id T that it has when it is asked for, status T likewise, flood N notifications each time,
//   ask true, back N times that it is asked for before it takes its question back, gone N the time that it does not ask though it does before and after, forget true where it does not know the task any more when it told its result, early N times that its result is refused at first, refuse true where it takes responses and says that
//   it does not, result OBJECT of members that its result has besides
// --churn MS BYTES: for so long after the handshake, ever other tools, one with a name of so many bytes, which its path and description repeat; at last echo and last
// --words BYTES: each list of tools has other words, so many, and churn leaves the tools
// --on-term CODE|ignore: go on when stdin ends; at SIGTERM exit with a code, or go on
import { existsSync } from 'node:fs';

const argv = process.argv.slice(2);
const has = (flag) => argv.includes(flag);
const after = (flag) => argv[argv.indexOf(flag) + 1];
const out = (line) => process.stdout.write(line + '\n');
const send = (message) => out(JSON.stringify({ jsonrpc: '2.0', ...message }));
const text = (value) => ({ content: [{ type: 'text', text: String(value) }] });
const sleep = (ms) => new Promise((done) => setTimeout(done, ms));
const record = [];
const times = []; // When each of these came, in milliseconds.
let token;
let lists = 0;
const listeners = new Set(); // The requests that it is listened to by.
const subscribed = new Map(); // The request that each resource is listened to by, 0 for one of its own.
const asked = new Map(); // The callers that wait, by the id of their question.
let listErrors = has('--list-error-once') ? 1 : 0;
let listed = ['echo', 'pid', 'env', 'args', 'sleep', 'crash', 'exit0', 'fail', 'rpc_error', 'stderr', 'garbage', 'tools_set', 'record', 'big', ...(has('--talk') ? ['talk', 'ask'] : []), ...(has('--rounds') ? ['book'] : []), ...(has('--tasks') ? ['work'] : []), ...(has('--subscribe') ? ['touch', 'notify', 'hang_up'] : [])];

if (has('--die')) {
  process.stderr.write(after('--die') + '\n', () => process.exit(1));
  await sleep(10_000);
}
if (has('--die-if-file') && existsSync(after('--die-if-file'))) process.exit(9);
if (has('--on-term')) process.on('SIGTERM', () => after('--on-term') === 'ignore' || process.exit(Number(after('--on-term'))));
if (has('--garbage')) out('Server running on stdio');

const flood = () => new Promise((done) => setImmediate(done));
async function churn(ms, bytes) {
  const end = Date.now() + ms;
  for (let n = 0; Date.now() < end; n++, await flood()) {
    if (!has('--words')) listed = ['echo', `t${n}`, 'x'.repeat(bytes)];
    for (const method of ['tools/list_changed', 'resources/list_changed', 'message']) send({ method: 'notifications/' + method });
  }
  listed = ['echo', 'last'];
  send({ method: 'notifications/tools/list_changed' });
}

let booked = 0;
async function book(a, p) {
  booked++;
  const before = p.requestState === undefined ? { round: 0, told: [], idle: a.idle ?? 0 } : JSON.parse(p.requestState);
  if (before.round > 0 && a.ms) await sleep(a.ms);
  const told = [...before.told, ...Object.values(p.inputResponses ?? {})];
  const asks = (more) => ({ resultType: 'input_required', ...more, requestState: JSON.stringify({ ...before, told, secret: 'x'.repeat(a.state ?? 0), ...more.state }) });
  if (before.idle > 0) return { ...asks({ state: { idle: before.idle - 1 } }), state: undefined };
  if (before.round >= (a.rounds ?? 1)) return text(JSON.stringify({ told, pid: process.pid, booked }));
  const params = { message: `Which? ${process.env.API_KEY ?? ''}` + 'x'.repeat(a.bytes ?? 0), requestedSchema: { type: 'object' } };
  const inputRequests = { [a.name ?? 'room']: { method: a.method ?? 'elicitation/create', params } };
  return { ...asks({ inputRequests, state: { round: before.round + 1 } }), state: undefined };
}

const TASKS = 'io.modelcontextprotocol/tasks';
const isModern = after('--era') === 'modern';
const tasks = new Map();
const task = ({ taskId }) => {
  if (!tasks.has(taskId) || tasks.get(taskId).forgotten) throw Object.assign(new Error('Task not found'), { code: -32602 });
  return tasks.get(taskId);
};
const ask = { method: 'elicitation/create', params: { message: `Which? ${process.env.API_KEY ?? ''}`, requestedSchema: { type: 'object' } } };
const report = (t) => {
  const now = new Date().toISOString();
  const statusMessage = t.a.bytes ? 'x'.repeat(t.a.bytes) : `step ${t.seen} ${process.env.API_KEY ?? ''}`;
  return { taskId: t.id, status: t.status, statusMessage, createdAt: now, lastUpdatedAt: now, ...(isModern ? { ttlMs: null, pollIntervalMs: t.a.poll } : { ttl: t.ttl, pollInterval: t.a.poll }) };
};
const worked = (t) => ({ ...text(JSON.stringify({ told: t.told, seen: t.seen, pid: process.pid })), ...t.a.result });
const failure = { code: -32055, message: 'as ordered', data: { of: 'the task' } };
function end(t, status) {
  t.status = status;
  t.over();
}
function work(a, p) {
  const wanted = isModern ? p._meta['io.modelcontextprotocol/clientCapabilities'].extensions?.[TASKS] : p.task;
  if (!wanted && after('--tasks') === 'optional') return text('no task');
  if (!wanted) throw Object.assign(new Error('Only as a task'), isModern ? { code: -32021, data: { requiredCapabilities: { extensions: { [TASKS]: {} } } } } : { code: -32601 });
  const t = { id: 'task-' + (tasks.size + 1), a, seen: 0, status: 'working', ttl: p.task?.ttl };
  t.ended = new Promise((over) => (t.over = over));
  tasks.set(t.id, t);
  return isModern ? { resultType: 'task', ...report(t) } : { task: report(t) };
}
const taskMethods = {
  'tasks/get': async (p) => {
    const t = task(p);
    const { a } = t;
    t.seen++;
    for (let n = 0; n < (a.flood ?? 0); n++, n % 100 || (await flood())) send({ method: 'notifications/tasks/status', params: { ...report(t), status: 'completed' } });
    if (a.ask && !t.told) t.status = t.seen > (a.back ?? Infinity) || t.seen === a.gone ? 'working' : 'input_required';
    if (t.status === 'working' && t.seen >= (a.polls ?? 2)) end(t, a.end ?? 'completed');
    const more = { input_required: { inputRequests: { room: ask } }, completed: { result: worked(t) }, failed: { error: failure } }[t.status];
    return { ...report(t), ...(isModern ? { resultType: 'complete', ...more } : {}), ...(a.id ? { taskId: a.id } : {}), ...(a.status ? { status: a.status } : {}) };
  },
  'tasks/result': async (p) => {
    const t = task(p);
    if (t.a.early-- > 0) throw new Error('too early');
    if (t.status === 'input_required' && !t.asked) {
      t.asked = true;
      const id = 'e-' + t.id;
      const answer = new Promise((done) => asked.set(id, done));
      send({ id, ...ask, params: { ...ask.params, _meta: { 'io.modelcontextprotocol/related-task': { taskId: t.id } } } });
      t.told = await answer;
      t.status = 'working';
    }
    await t.ended;
    t.forgotten = t.a.forget;
    if (t.status === 'failed') throw Object.assign(new Error(failure.message), failure);
    return worked(t);
  },
  'tasks/update': (p) => {
    const t = task(p);
    t.told = p.inputResponses.room;
    t.status = 'working';
    if (t.a.refuse) throw Object.assign(new Error('not asked'), { code: -32602 });
    return { resultType: 'complete' };
  },
  'tasks/cancel': (p) => (end(task(p), 'cancelled'), report(task(p))),
  'tasks/list': () => ({ tasks: [...tasks.values()].map(report) }),
};

const tools = {
  book,
  work,
  echo: (a) => text(a.message),
  pid: () => text(process.pid),
  env: (a) => text(process.env[a.name] ?? ''),
  args: () => text(JSON.stringify(argv)),
  sleep: async (a) => (await sleep(a.ms), text('slept')),
  crash: (a) => (a.signal ? process.kill(process.pid, a.signal) : process.exit(a.code)),
  exit0: () => process.exit(0),
  fail: () => ({ ...text('no'), isError: true }),
  rpc_error: (a) => {
    const data = a.data?.env ? { env: process.env[a.data.env], of: 'the server' } : a.data;
    throw Object.assign(new Error('as ordered'), { code: a.code, data });
  },
  stderr: (a) => (process.stderr.write(a.text), text('')),
  garbage: () => (out('{"half":'), out(''), out('\u0000'), text('after')),
  tools_set: (a) => ((listed = a.names), send({ method: 'notifications/tools/list_changed' }), text('')),
  big: (a) => text('x'.repeat(a.bytes)),
  // Reports n times progress, and logs the texts, with a pause before each and after the last.
  talk: async (a) => {
    const progressToken = token;
    for (let n = 1; n <= (a.n ?? 0); n++, await sleep(a.ms ?? 0))
      send({ method: 'notifications/progress', params: { progressToken: progressToken ?? 'none', progress: n, total: a.n, message: a.message } });
    for (const data of a.logs ?? []) send({ method: 'notifications/message', params: { level: a.level ?? 'info', logger: 'talk', data } });
    await sleep(a.after ?? 0);
    return text(progressToken === undefined ? 'no token' : 'token');
  },
  // Asks n times at once, with parameters of so many bytes more, and says what it was answered; withdraws what is not answered in time.
  ask: async (a) => {
    const method = a.method ?? 'elicitation/create';
    const answers = Array.from({ length: a.n ?? 1 }, () => {
      const id = 'q' + asked.size;
      const answer = new Promise((done) => asked.set(id, done));
      send({ id, method, params: { message: a.message ?? 'Which?', requestedSchema: { type: 'object', properties: { name: { type: 'string' } } }, ...(a.bytes ? { more: 'x'.repeat(a.bytes) } : {}) } });
      if (a.withdraw) setTimeout(() => (send({ method: 'notifications/cancelled', params: { requestId: id } }), asked.get(id)({ error: 'withdrawn' })), a.withdraw);
      return answer;
    });
    const said = await Promise.all(answers);
    await sleep(a.after ?? 0);
    return text(JSON.stringify(said.length > 20 ? said.reduce((counts, each) => ((counts[each.error ? 'refused' : 'answered'] = (counts[each.error ? 'refused' : 'answered'] ?? 0) + 1), counts), {}) : said));
  },
  // Says n times that a resource changed, if it is subscribed to.
  touch: async (a) => {
    for (let n = 0; n < (a.n ?? 1); n++) {
      const uri = a.each ? a.uri + n : a.uri;
      const id = subscribed.get(uri);
      if (id !== undefined || a.anyway) send({ method: 'notifications/resources/updated', params: { uri, ...(id ? { _meta: { 'io.modelcontextprotocol/subscriptionId': id } } : {}) } });
      if (n % 1000 === 999) await flood();
    }
    return text([...subscribed.keys()].sort().join(' '));
  },
  notify: async (a) => {
    for (let n = 0; n < (a.n ?? 1); n++) {
      send({ method: a.each ? a.method + n : a.method, params: a.bytes ? { text: 'x'.repeat(a.bytes) } : a.params });
      if (n % 100 === 99) await flood();
    }
    return text('');
  },
  // Ends all that it is listened to by.
  hang_up: () => {
    for (const id of listeners) send({ id, result: {} });
    listeners.clear(), subscribed.clear();
    return text('');
  },
  record: (a) => text(JSON.stringify(a?.times ? times : record)),
};
const taken = (uri) => !uri.startsWith('no:');
const offered = has('--subscribe') ? { resources: { subscribe: true, listChanged: true }, prompts: { listChanged: true } } : {};

const modern = {
  'server/discover': () => ({ supportedVersions: ['2026-07-28'], capabilities: { tools: { listChanged: true }, ...(has('--tasks') ? { extensions: { [TASKS]: {} } } : {}), ...offered }, instructions: 'modern', ...said }),
  'subscriptions/listen': ({ notifications: { resourceSubscriptions, ...lists } }, id) => {
    listeners.add(id);
    const uris = resourceSubscriptions?.filter(taken);
    uris?.forEach((uri) => subscribed.set(uri, id));
    send({ method: 'notifications/subscriptions/acknowledged', params: { _meta: { 'io.modelcontextprotocol/subscriptionId': id }, notifications: { ...lists, resourceSubscriptions: uris } } });
  },
};
const said = { _meta: { 'io.modelcontextprotocol/serverInfo': { name: 'test', version: '2' } } };
let opened = false; // By initialize.

/** Whether it is to be answered: what is refused throws. */
function admit(method, params) {
  const version = params?._meta?.['io.modelcontextprotocol/protocolVersion'];
  if (method === 'initialize' && after('--era') !== 'modern') opened = true;
  if (opened) return true;
  if (has('--era') && version === '2026-07-28' && params._meta['io.modelcontextprotocol/clientCapabilities']) return true;
  if (has('--touchy')) process.exit(1);
  if (has('--silent')) return false;
  throw Object.assign(new Error('Unsupported protocol version'), { code: has('--era') ? -32022 : -32601 });
}

const methods = {
  ...(has('--era') ? modern : {}),
  ...(has('--tasks') ? taskMethods : {}),
  initialize: async (p) => {
    if (has('--slow-init')) await sleep(Number(after('--slow-init')));
    return {
      protocolVersion: p.protocolVersion,
      capabilities: { ...(has('--no-tools') ? {} : { tools: { listChanged: true }, ...(has('--catalog') ? { prompts: {}, resources: {} } : {}) }), ...(has('--logging') ? { logging: {} } : {}), ...(has('--tasks') ? { tasks: { list: {}, cancel: {}, requests: { tools: { call: {} } } } } : {}), ...offered },
      ...(has('--catalog') ? { instructions: `Use it with ${process.env.TEST_VALUE}` } : {}),
      ...(has('--no-serverinfo') ? {} : { serverInfo: { name: 'test', version: '1' } }),
    };
  },
  'tools/list': (p) => {
    if (listErrors-- > 0) throw new Error('no list today');
    const at = Number(p.cursor ?? 0); // Two pages.
    const more = has('--catalog') ? { title: 'T', outputSchema: { type: 'object' }, annotations: { destructiveHint: true }, icons: [{ src: 'data:,' }], _meta: { 'a/b': 1 } } : {};
    const page = listed.slice(at, at + 7).map((name) => ({ name, description: 'Does ' + name, inputSchema: { type: 'object' }, ...more, ...(name === 'work' ? { execution: { taskSupport: after('--tasks') } } : {}) }));
    if (has('--words')) page[0]._meta = { [`t/${lists++}`]: 'x'.repeat(Number(after('--words'))) };
    return at + 7 < listed.length ? { tools: page, nextCursor: String(at + 7) } : { tools: page };
  },
  'tools/call': (p) => ((token = p._meta?.progressToken), tools[p.name](p.arguments, p)),
  'logging/setLevel': () => ({}),
  ...(has('--subscribe') && after('--era') !== 'modern' ? {
    'resources/subscribe': ({ uri }) => {
      if (!taken(uri)) throw Object.assign(new Error('no such resource'), { code: -32002 });
      return subscribed.set(uri, 0), {};
    },
    'resources/unsubscribe': ({ uri }) => (subscribed.delete(uri), {}),
  } : {}),
  'resources/list': () => ({ resources: [{ uri: 'x://y', name: 'y' }] }),
  'resources/templates/list': () => ({ resourceTemplates: [{ uriTemplate: 'x://{y}', name: 'y' }] }),
  'prompts/list': () => ({ prompts: [{ name: 'p' }, ...(listed.length < 14 ? [{ name: 'q' }] : [])] }),
  // Deeper than anybody reads.
  'prompts/get': () => JSON.parse('{"deep":'.repeat(300) + '1' + '}'.repeat(300)),
  ping: () => ({}),
};

async function receive(line) {
  record.push(line);
  times.push(performance.now());
  const { id, method, params, result, error } = JSON.parse(line);
  if (method === undefined && asked.has(id)) asked.get(id)(error ? { error: error.code } : result);
  if (method === 'notifications/cancelled') listeners.delete(params.requestId);
  if (method === 'notifications/cancelled') subscribed.forEach((by, uri) => by === params.requestId && subscribed.delete(uri));
  if (method === 'notifications/initialized' && has('--ask'))
    for (const [askId, asked] of [[0, 'roots/list'], ['p', 'ping'], [2, 'sampling/createMessage']]) send({ id: askId, method: asked });
  if (method === 'notifications/initialized' && has('--churn')) churn(Number(after('--churn')), Number(argv[argv.indexOf('--churn') + 2]));
  if (method === undefined || id === undefined || has('--mute')) return;
  try {
    if (!admit(method, params)) return;
    const result = await methods[method](params, id);
    if (result !== undefined) send({ result, id }); // The order of the reference implementation: result first.
  } catch (e) {
    send({ id, error: { code: e.code ?? -32000, message: e.message, data: e.data } });
  }
}

let rest = '';
process.stdin.setEncoding('utf8');
process.stdin.on('data', (chunk) => {
  const lines = (rest + chunk).split('\n');
  rest = lines.pop();
  lines.forEach(receive);
});
process.stdin.on('end', () => (has('--on-term') ? setInterval(() => {}, 1000) : process.exit(0)));
