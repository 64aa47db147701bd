import {backoff, Brokers, brokerError, patiently} from './brokers.js';
import {committedBatches} from './committed.js';
import {explained} from './errors.js';

const WAIT_MS = 500;
const LEADERS_MS = 30_000;
const FETCH_BYTES = 8 << 20;
const PARTITION_BYTES = 1 << 20;
const READ_COMMITTED = 1;
const NO_SESSION = -1;
const OUT_OF_RANGE = 1;
const LATEST = -1n;
const EARLIEST = -2n;

/**
 * Reads topics from a point on, committed records only, without a consumer group: positions are its own, so that no rebalance passes over
 * an answer. A broker that is away is waited for.
 */
export class Reader {
  #settings;
  #partitions;
  #take;
  #positions = new Map();
  #closed = false;
  #brokers;
  #wake = () => {};
  #running;
  #failure;

  /**
   * Its position is fixed when this resolves. Rejects with Unreachable or Refused.
   * topics: names, each with the one partition to read, or null for all
   * start: 'end', 'beginning', a Date, or the next offset of each partition by TOPIC-PARTITION; what that has not got is read from the beginning
   * take: called with each record; where it returns a promise that is waited for
   */
  static async open(settings, topics, start, take) {
    const reader = new Reader(settings, topics, take);
    await patiently(() => new Brokers(settings), async (brokers) => reader.#place(brokers, await brokers.topics([...topics.keys()]), start));
    reader.#running = reader.#run();
    return reader;
  }

  constructor(settings, topics, take) {
    this.#settings = settings;
    this.#partitions = topics;
    this.#take = take;
  }

  /** The next offset of each partition, by TOPIC-PARTITION. */
  get positions() {
    return new Map(this.#positions);
  }

  /** Why nothing can be read now; undefined while it can be. */
  get failure() {
    return this.#failure;
  }

  async close() {
    this.#closed = true;
    this.#wake();
    await this.#brokers?.close();
    await this.#running;
  }

  /** Gives partitions without a position one; those without a leader, too, unless they are waited for. */
  async #place(brokers, topics, start, patient = false) {
    const time = start === 'end' ? LATEST : start instanceof Date ? BigInt(start.getTime()) : EARLIEST;
    const given = typeof start === 'object' && !(start instanceof Date) ? start : {};
    for (const [key, offset] of Object.entries(given)) this.#positions.set(key, BigInt(offset));
    const open = this.#byLeader(topics, (name, partition) => !this.#positions.has(`${name}-${partition}`));
    if (patient) open.delete(-1);
    for (const [leader, partitions] of open) {
      const found = await this.#offsets(brokers, leader, partitions, time);
      const past = [...found].filter(([, offset]) => offset < 0n).map(([key]) => key);
      // Nothing is as young as that time.
      const ends = past.length > 0 ? await this.#offsets(brokers, leader, partitions, LATEST) : found;
      for (const [key, offset] of found) this.#positions.set(key, offset < 0n ? ends.get(key) : offset);
    }
  }

  async #offsets(brokers, leader, partitions, timestamp) {
    if (leader < 0) throw new Error('A partition has no leader');
    const asked = [...grouped(partitions)].map(([name, all]) => ({
      name,
      partitions: all.map(({partition}) => ({partitionIndex: partition, currentLeaderEpoch: -1, timestamp})),
    }));
    const found = new Map();
    const response = await brokers.request(leader, 'ListOffsets', -1, READ_COMMITTED, asked);
    for (const {name, partitions: answered} of response.topics) {
      for (const {partitionIndex, offset, errorCode} of answered) {
        if (errorCode !== 0) throw brokerError(errorCode);
        found.set(`${name}-${partitionIndex}`, offset);
      }
    }
    return found;
  }

  #byLeader(topics, wanted = () => true) {
    const byLeader = new Map();
    for (const [name, {id, leaders}] of topics) {
      const only = this.#partitions.get(name);
      leaders.forEach((leader, partition) => {
        if ((only ?? partition) !== partition || !wanted(name, partition)) return;
        if (!byLeader.has(leader)) byLeader.set(leader, []);
        byLeader.get(leader).push({name, id, partition});
      });
    }
    return byLeader;
  }

  async #run() {
    for (let failures = 0; !this.#closed; failures++) {
      const began = Date.now();
      try {
        await this.#session();
      } catch (error) {
        this.#failure = explained(error);
      }
      if (Date.now() - began > LEADERS_MS) failures = 0;
      if (!this.#closed) await this.#pause(backoff(failures));
    }
  }

  #pause(milliseconds) {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, milliseconds);
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  /** Reads until something fails. */
  async #session() {
    const brokers = new Brokers(this.#settings);
    const session = {over: false};
    this.#brokers = brokers;
    try {
      while (!this.#closed) {
        const topics = await brokers.topics([...this.#partitions.keys()]);
        const byLeader = this.#byLeader(topics);
        const leaderless = byLeader.delete(-1);
        // Partitions that were added since are read from their beginning.
        await this.#place(brokers, topics, 'beginning', true);
        this.#failure = undefined;
        const until = Date.now() + (leaderless ? WAIT_MS * 4 : LEADERS_MS);
        const loops = [...byLeader].map(([leader, partitions]) => this.#follow(brokers, leader, partitions, until, session));
        const failed = (await Promise.allSettled(loops)).find(({status}) => status === 'rejected');
        if (failed) throw failed.reason;
        if (loops.length === 0) await this.#pause(WAIT_MS);
      }
    } finally {
      session.over = true;
      await brokers.close();
    }
  }

  /** Reads a broker's partitions until it is time to ask for leaders again. */
  async #follow(brokers, leader, partitions, until, session) {
    const names = new Map(partitions.map(({name, id}) => [id, name]));
    try {
      while (!this.#closed && !session.over && Date.now() < until) {
        const asked = partitions.map(({name, id, partition}) => ({
          topicId: id,
          partitions: [{
            partition,
            fetchOffset: this.#positions.get(`${name}-${partition}`),
            currentLeaderEpoch: -1,
            lastFetchedEpoch: -1,
            partitionMaxBytes: PARTITION_BYTES,
          }],
        }));
        const response = await brokers.request(leader, 'Fetch', WAIT_MS, 1, FETCH_BYTES, READ_COMMITTED, 0, NO_SESSION, asked, [], '');
        for (const {topicId, partitions: read} of response.responses) {
          for (const each of read) await this.#takeAll(brokers, leader, names.get(topicId), each);
        }
      }
    } finally {
      // One broker's failure ends all loops: positions must have one reader.
      session.over ||= Date.now() < until;
    }
  }

  async #takeAll(brokers, leader, name, read) {
    const key = `${name}-${read.partitionIndex}`;
    if (read.errorCode === OUT_OF_RANGE) {
      // What retention has removed is passed over.
      const [[, offset]] = await this.#offsets(brokers, leader, [{name, partition: read.partitionIndex}], EARLIEST);
      this.#positions.set(key, offset);
      return;
    }
    if (read.errorCode !== 0) throw brokerError(read.errorCode);
    if (!this.#positions.has(key)) throw new Error('The broker answers what was not asked');
    for (const {records, next} of committedBatches(read, this.#positions.get(key))) {
      for (const record of records) {
        if (this.#closed) return;
        const full = this.#take({
          topic: name,
          next: [key, record.offset + 1n],
          key: record.key?.toString(),
          value: record.value ?? null,
          header: (wanted) => record.headers.find(([header]) => header?.toString() === wanted)?.[1]?.toString(),
        });
        if (full) await full;
      }
      this.#positions.set(key, next);
    }
  }
}

function grouped(partitions) {
  const byTopic = new Map();
  for (const each of partitions) byTopic.set(each.name, [...(byTopic.get(each.name) ?? []), each]);
  return byTopic;
}
