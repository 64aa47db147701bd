// Connections to the brokers and the requests of Kafka's protocol that the client needs. Whoever meets an error makes all of it anew:
// a connection on which a request was given up cannot be used again.
import * as library from '@platformatic/kafka';
import {explained, MissingTopic, Refused} from './errors.js';

const CLOSE_MS = 1_000;
const PATIENCE_MS = 5_000;
const MISSING = 3; // UNKNOWN_TOPIC_OR_PARTITION

// Those that know topics by their ids, which brokers have since Kafka 3.1. The library does not read tagged fields right, so that the version is one
// without them: Produce has had them since 10, Fetch has more of them in each version, and only beside errors, after which nothing is read.
const VERSIONS = {
  Metadata: [12, 11, 10],
  ListOffsets: [9, 8, 7, 6, 5],
  Fetch: [13, 14, 15, 16, 17],
  Produce: [9, 8, 7],
};

export class Brokers {
  #base;
  #bootstrap;
  #addresses = new Map();
  #apis;

  /** settings: brokers as host:port; tls, sasl and others of the library's. Nothing is connected yet. */
  constructor({brokers, ...settings}) {
    this.#base = new library.Base({
      clientId: 'perigee-client',
      connectTimeout: 5_000,
      requestTimeout: 10_000,
      ...settings,
      retries: 0,
      bootstrapBrokers: brokers,
    });
    this.#bootstrap = brokers.map((broker) => {
      const colon = broker.lastIndexOf(':');
      return {host: broker.slice(0, colon), port: Number(broker.slice(colon + 1))};
    });
    // A connection may fail twice, and an 'error' that nobody listens to ends the program.
    this.#base.connections.on('connecting', ({connection}) => connection.on('error', () => {}));
  }

  /** Of each topic its id and its partitions' leaders, -1 for one without. Rejects with Refused when a topic is not there. */
  async topics(names) {
    const known = [...this.#addresses.values()];
    const connection = await this.#base.connections.getFirstAvailable([...known, ...this.#bootstrap]);
    const metadata = await this.#answer('Metadata', connection, names, false, false);
    this.#addresses = new Map(metadata.brokers.map(({nodeId, host, port}) => [nodeId, {host, port}]));
    const topics = new Map();
    for (const {name, topicId, errorCode, partitions} of metadata.topics) {
      if (errorCode === MISSING) throw new MissingTopic(`There is no topic ${name}. Create it with "perigee topics".`);
      if (errorCode !== 0 && partitions.length === 0) throw brokerError(errorCode);
      const leaders = Array(partitions.length).fill(-1);
      for (const {partitionIndex, leaderId} of partitions) leaders[partitionIndex] = leaderId;
      topics.set(name, {id: topicId, leaders});
    }
    return topics;
  }

  /** A request to the broker with that id, of those that `topics` has named. Errors of single partitions are in the response. */
  async request(node, api, ...parameters) {
    const address = this.#addresses.get(node);
    if (!address) throw new Error(`There is no broker ${node}`);
    return this.#answer(api, await this.#base.connections.get(address), ...parameters);
  }

  async #answer(name, connection, ...parameters) {
    const api = await this.#api(name);
    try {
      return await api.async(connection, ...parameters);
    } catch (error) {
      if (error.response) return error.response;
      throw error;
    }
  }

  async #api(name) {
    this.#apis ??= await this.#base.listApis();
    const range = this.#apis.find((api) => api.name === name);
    const version = VERSIONS[name].find((each) => range && each >= range.minVersion && each <= range.maxVersion);
    if (version === undefined) throw new Refused(`The broker is too old or too new: it has no ${name} that this client knows`);
    return library[`${name[0].toLowerCase()}${name.slice(1)}V${version}`].api;
  }

  /** Ends the connections at once; requests under way reject. */
  async close() {
    for (const [, connection] of this.#base.connections) connection.socket?.destroy();
    let timer;
    const late = new Promise((resolve) => (timer = setTimeout(resolve, CLOSE_MS)));
    await Promise.race([this.#base.close().catch(() => {}), late]);
    clearTimeout(timer);
  }
}

/** The error that a number in a response stands for. */
export function brokerError(code) {
  return new library.ProtocolError(library.protocolErrorsCodesById[code] ? code : -1);
}

/** Milliseconds to wait before the next try: longer after each failure, and not the same for all clients of a broker. */
export function backoff(failures) {
  return Math.min(5_000, 100 * 2 ** Math.min(failures, 6)) * (0.5 + Math.random() / 2);
}

/** Does something that leaves no trace when it fails, again for some seconds: a topic that was just made has no leader at first. */
export async function patiently(open, action) {
  const until = Date.now() + PATIENCE_MS;
  for (let failures = 0; ; failures++) {
    const brokers = open();
    try {
      return await action(brokers);
    } catch (error) {
      const why = explained(error);
      if (why instanceof Refused || Date.now() > until) throw why;
    } finally {
      await brokers.close();
    }
    await pause(backoff(failures));
  }
}

export function pause(milliseconds) {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}
