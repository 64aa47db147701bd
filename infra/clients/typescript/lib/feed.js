import {RecentIds} from './recent.js';
import {Reader} from './reader.js';

const TOPICS = ['status', 'lifecycle', 'logs', 'request-logs', 'server-events', 'tools', 'catalog', 'usage'];
const REMEMBERED = 50_000;
const AHEAD = 1_000;
const AHEAD_BYTES = 16 << 20;

/** Events of servers, those of one process in order, each once. An async iterator for one consumer. */
export class EventFeed {
  #prefix;
  #ids = new RecentIds(REMEMBERED);
  #events = [];
  #bytes = 0;
  #closed = false;
  #came = () => {};
  #held = [];
  #reader;
  #positions;

  static async open(settings, prefix, topics, {from = 'end', signal} = {}) {
    const unknown = topics.find((topic) => !TOPICS.includes(topic));
    if (topics.length === 0 || unknown !== undefined) throw new TypeError(`Events are on ${TOPICS.join(', ')}, not on ${unknown ?? 'nothing'}`);
    const feed = new EventFeed(prefix);
    const names = new Map(topics.map((topic) => [prefix + topic, null]));
    feed.#reader = await Reader.open(settings, names, from, (record) => feed.#take(record));
    feed.#positions ??= Object.fromEntries(feed.#reader.positions);
    if (signal?.aborted) await feed.close();
    signal?.addEventListener('abort', () => feed.close(), {once: true});
    return feed;
  }

  constructor(prefix) {
    this.#prefix = prefix;
  }

  /** Why nothing comes now; undefined while brokers answer. */
  get failure() {
    return this.#reader.failure;
  }

  get positions() {
    return Object.fromEntries(Object.entries(this.#positions).map(([key, offset]) => [key, String(offset)]));
  }

  async next() {
    while (this.#events.length === 0) {
      if (this.#closed) return {done: true, value: undefined};
      await new Promise((resolve) => (this.#came = resolve));
    }
    const {followed, next: [key, offset], bytes} = this.#events.shift();
    this.#positions[key] = offset;
    this.#bytes -= bytes;
    if (this.#hasRoom()) this.#release();
    return {done: false, value: followed};
  }

  async return() {
    await this.close();
    return {done: true, value: undefined};
  }

  [Symbol.asyncIterator]() {
    return this;
  }

  async close() {
    if (this.#closed) return;
    this.#closed = true;
    this.#events = [];
    this.#came();
    this.#release();
    await this.#reader?.close();
  }

  /** Waits where the consumer is behind. */
  #take({topic, next, key = '', value, header}) {
    const id = header('ce_id');
    if (this.#closed || (id !== undefined && !this.#ids.add(id))) return undefined;
    let event = null;
    if (value !== null) {
      try {
        event = JSON.parse(value.toString());
      } catch {
        return undefined; // Another program's.
      }
      if (typeof event !== 'object' || event === null) return undefined;
    }
    const processId = typeof event?.process_id === 'string' ? event.process_id : key;
    const bytes = value?.length ?? 0;
    this.#bytes += bytes;
    this.#events.push({followed: {topic: topic.slice(this.#prefix.length), processId, event}, next, bytes});
    this.#came();
    return this.#hasRoom() ? undefined : new Promise((resolve) => this.#held.push(resolve));
  }

  /** Readers of several brokers may wait. */
  #release() {
    for (const resume of this.#held.splice(0)) resume();
  }

  #hasRoom() {
    return this.#events.length < AHEAD && this.#bytes < AHEAD_BYTES;
  }
}
