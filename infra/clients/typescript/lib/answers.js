import {LateAnswers, RecentIds} from './recent.js';

const EVENTS = 50_000;
const LATE = {most: 1_000, mostBytes: 16 << 20, keptMs: 600_000};
const TOOL_RESULT = 'perigee.tool.result';

/** What a call may have published while it runs: the word of `accepts`, by the name of the handler and by the event. */
export const CALL_EVENTS = [
  {handler: 'onProgress', accepts: 'progress', type: 'perigee.call.progress'},
  {handler: 'onLog', accepts: 'log', type: 'perigee.call.log'},
  {handler: 'onInput', accepts: 'input', type: 'perigee.call.input_required'},
  {handler: 'onTask', accepts: 'task', type: 'perigee.call.task'},
];

/** Hands each answer to who waits for it. The first counts: repeats, and what nobody waits for, are left out. */
export class Answers {
  #commandResults;
  #waiting = new Map();
  #late = new LateAnswers(LATE);
  #events = new RecentIds(EVENTS);

  /** commandResults: the full name of that topic; what is read besides is of calls. */
  constructor(commandResults) {
    this.#commandResults = commandResults;
  }

  /** kind: 'command' or 'call'; handlers: of events, by the names of CALL_EVENTS. Throws when that id is waited for already. */
  expect(kind, id, handlers = {}) {
    const key = `${kind} ${id}`;
    if (this.#waiting.has(key)) throw new Error(`Somebody waits for the ${key} already`);
    const waiting = {key, handlers};
    waiting.answer = new Promise((resolve, reject) => Object.assign(waiting, {resolve, reject}));
    waiting.answer.catch(() => {});
    const late = this.#late.take(key);
    if (late) waiting.resolve(late);
    waiting.isAnswered = late !== undefined; // Nothing has to be sent then.
    this.#waiting.set(key, waiting);
    return waiting;
  }

  /** mayCome: whether an answer may still come, for who asks again with the same id. */
  forget(waiting, mayCome) {
    this.#waiting.delete(waiting.key);
    if (mayCome) this.#late.await(waiting.key);
  }

  fail(error) {
    for (const waiting of this.#waiting.values()) waiting.reject(error);
  }

  /** Ends the wait of one; nothing where nobody waits. */
  failOne(kind, id, error) {
    this.#waiting.get(`${kind} ${id}`)?.reject(error);
  }

  take({topic, key: id, value, header}) {
    if (id === undefined || value === null) return;
    if (topic === this.#commandResults) {
      this.#complete(`command ${id}`, value, (result) => result.outcome !== 'acknowledged');
      return;
    }
    const type = header('ce_type');
    if (type === undefined || type === TOOL_RESULT) this.#complete(`call ${id}`, value, () => true);
    else this.#tell(this.#waiting.get(`call ${id}`), type, header('ce_id'), value);
  }

  #complete(key, value, isTerminal) {
    const waiting = this.#waiting.get(key);
    if (!waiting && !this.#late.awaits(key)) return; // Another backend's, or a repeat.
    const result = parsed(value);
    if (typeof result?.outcome !== 'string' || !isTerminal(result)) return;
    if (waiting) {
      waiting.isAnswered = true;
      waiting.resolve(result);
    } else this.#late.offer(key, result, value.length);
  }

  #tell(waiting, type, ceId, value) {
    const event = CALL_EVENTS.find((each) => each.type === type);
    const handler = event && waiting?.handlers[event.handler];
    if (!handler || waiting.isAnswered || (ceId !== undefined && !this.#events.add(ceId))) return;
    const body = parsed(value);
    if (!body) return;
    try {
      handler(body);
    } catch (error) {
      waiting.reject(error);
    }
  }
}

/** Undefined for what is no object: it is not Perigee's, and whoever waits goes on waiting. */
function parsed(value) {
  try {
    const result = JSON.parse(value.toString());
    return typeof result === 'object' && result !== null ? result : undefined;
  } catch {
    return undefined;
  }
}
