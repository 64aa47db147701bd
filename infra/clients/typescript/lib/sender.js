import {backoff, Brokers, brokerError, patiently, pause} from './brokers.js';
import {explained, MissingTopic, Refused} from './errors.js';
import {partitionOf} from './partition.js';

const ALL_REPLICAS = -1;
const ACKS_MS = 5_000;
const BATCH_BYTES = 1 << 20;
const BATCH_RECORDS = 500;
const LEADERS_MS = 30_000;
const RETRY_MS = 250;
const TOO_LARGE = [10, 18];
const MOST_BYTES = 64 << 20;

/** A record on its way. */
class Sending {
  /** Resolves when the broker has it, rejects with Refused when it never will. */
  done;
  /** Whether it was given to the network: from then on it may arrive whatever happens. */
  began = false;
  alone = false;

  constructor(record) {
    this.record = record;
    this.key = Buffer.from(record.key);
    this.value = Buffer.from(JSON.stringify(record.value));
    this.done = new Promise((resolve, reject) => Object.assign(this, {resolve, reject}));
    this.done.catch(() => {});
  }
}

/**
 * Writes records, acknowledged by all replicas, those of a partition in order: one batch is under way at a time. What a broker did not acknowledge is
 * sent again until it is withdrawn, and may then be there twice, which does no harm: the fleet runs one id once.
 */
export class Sender {
  #settings;
  #open;
  #names;
  #brokers;
  #topics;
  #topicsUntil = 0;
  #paused = new Map();
  #queue = new Set();
  #bytes = 0;
  #running;
  #closed = false;
  #failure;

  /** names: the topics that are written to; open: makes connections, for tests. */
  constructor(settings, names, open = (given) => new Brokers(given)) {
    this.#settings = {...settings, requestTimeout: 2 * ACKS_MS};
    this.#names = names;
    this.#open = open;
  }

  /** Why nothing can be written now; undefined while it can be. */
  get failure() {
    return this.#failure;
  }

  /** Resolves when the topics are there; rejects with Unreachable or Refused. */
  async check() {
    await patiently(() => this.#open(this.#settings), (brokers) => brokers.topics(this.#names));
  }

  /**
   * Rejects in time only where it is refused: withdraw it. Throws Refused where 64 MiB wait already.
   * record: topic, key, value (made JSON) and headers, names to bytes
   */
  send(record) {
    const sending = new Sending(record);
    if (this.#queue.size > 0 && this.#bytes + sending.value.length > MOST_BYTES) throw new Refused('64 MiB wait for the broker already');
    this.#queue.add(sending);
    this.#bytes += sending.value.length;
    this.#running ??= this.#run();
    return sending;
  }

  /** It is not sent from now on; what has begun may arrive. */
  withdraw(sending) {
    if (this.#queue.delete(sending)) this.#bytes -= sending.value.length;
  }

  /** Waits for what is under way, at most so long. */
  async close(milliseconds) {
    let timer;
    const late = new Promise((resolve) => (timer = setTimeout(resolve, milliseconds)));
    await Promise.race([Promise.allSettled([...this.#queue].map(({done}) => done)), late]);
    clearTimeout(timer);
    this.#closed = true;
    await this.#renew();
    await this.#running;
  }

  async #run() {
    try {
      for (let failures = 0; this.#queue.size > 0 && !this.#closed; ) failures = await this.#step(failures);
    } finally {
      this.#running = undefined; // In the same turn as the last look at the queue: a record that comes now begins anew.
    }
  }

  /** Sends the next batch; gives how often in a row that failed. */
  async #step(failures) {
    try {
      const batch = this.#next(await this.#leaders());
      if (batch.length > 0) await this.#produce(batch);
      else await pause(RETRY_MS);
      return 0;
    } catch (error) {
      await this.#renew();
      this.#failure = explained(error);
      if (this.#failure instanceof Refused && !(this.#failure instanceof MissingTopic)) this.#refuse([...this.#queue], this.#failure);
      else if (!this.#closed) await pause(backoff(failures));
      return failures + 1;
    }
  }

  async #leaders() {
    this.#brokers ??= this.#open(this.#settings);
    if (!this.#topics || Date.now() > this.#topicsUntil) {
      this.#topics = await this.#brokers.topics(this.#names);
      this.#topicsUntil = Date.now() + LEADERS_MS;
    }
    return this.#topics;
  }

  async #renew() {
    const brokers = this.#brokers;
    this.#brokers = undefined;
    this.#topics = undefined;
    await brokers?.close();
  }

  /** The next batch by the leader of each record's partition; those of a partition that is paused keep their place. */
  #next(topics) {
    const batch = [];
    let bytes = 0;
    for (const sending of this.#queue) {
      const {leaders} = topics.get(sending.record.topic);
      sending.partition = partitionOf(sending.key, leaders.length);
      sending.leader = leaders[sending.partition];
      if (sending.leader < 0) this.#pausePartition(sending);
      if ((this.#paused.get(place(sending)) ?? 0) > Date.now()) continue;
      bytes += sending.value.length;
      if (batch.length > 0 && (bytes > BATCH_BYTES || batch.length >= BATCH_RECORDS || sending.alone)) break;
      batch.push(sending);
      if (sending.alone) break;
    }
    return batch;
  }

  #pausePartition(sending) {
    this.#topicsUntil = Math.min(this.#topicsUntil, Date.now() + RETRY_MS);
    if ((this.#paused.get(place(sending)) ?? 0) <= Date.now()) this.#paused.set(place(sending), Date.now() + RETRY_MS);
  }

  async #produce(batch) {
    const byLeader = new Map();
    for (const sending of batch) byLeader.set(sending.leader, [...(byLeader.get(sending.leader) ?? []), sending]);
    const requests = [...byLeader].map(([leader, all]) => this.#produceTo(leader, all));
    const failed = (await Promise.allSettled(requests)).find(({status}) => status === 'rejected');
    if (failed) throw failed.reason;
  }

  async #produceTo(leader, all) {
    const messages = all.map((sending) => {
      sending.began = true;
      const {topic, headers = {}} = sending.record;
      return {topic, partition: sending.partition, key: sending.key, value: sending.value, headers: headerBytes(headers)};
    });
    const response = await this.#brokers.request(leader, 'Produce', ALL_REPLICAS, ACKS_MS, messages, {compression: 'none'});
    for (const {name, partitionResponses} of response.responses) {
      for (const {index, errorCode} of partitionResponses) {
        this.#settle(all.filter(({record, partition}) => record.topic === name && partition === index), errorCode);
      }
    }
  }

  #settle(sent, errorCode) {
    if (errorCode === 0) {
      this.#failure = undefined;
      for (const sending of sent) {
        this.withdraw(sending);
        sending.resolve();
      }
      return;
    }
    const why = explained(brokerError(errorCode));
    if (TOO_LARGE.includes(errorCode) && sent.length > 1) {
      for (const sending of sent) sending.alone = true;
    } else if (why instanceof Refused) {
      this.#refuse(sent, why);
    } else {
      this.#pausePartition(sent[0]);
    }
  }

  #refuse(all, why) {
    for (const sending of all) {
      this.withdraw(sending);
      sending.reject(why);
    }
  }
}

function place({record, partition}) {
  return `${partition}@${record.topic}`;
}

function headerBytes(headers) {
  return new Map(Object.entries(headers).map(([name, value]) => [Buffer.from(name), Buffer.from(value)]));
}
