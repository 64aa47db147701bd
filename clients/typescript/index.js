const {randomUUID} = require('node:crypto');
const {Kafka, Partitioners, logLevel} = require('kafkajs');
const partition = require('./partition.js');

const MOST_OPEN = 10_000;
const ANSWER_MARGIN_MS = 5_000;
const CONNECT_MS = 30_000;
const CLOSE_MS = 10_000;

class NoAnswer extends Error {
  name = 'NoAnswer';
}

class Client {
  #producer;
  #consumer;
  #prefix;
  #waiting = new Map();
  #sends = new Set();
  #closed = false;

  constructor(producer, consumer, prefix) {
    this.#producer = producer;
    this.#consumer = consumer;
    this.#prefix = prefix;
  }

  static async connect({brokers, prefix = 'mcp.', kafka: more = {}}) {
    const kafka = new Kafka({logLevel: logLevel.ERROR, ...more, brokers});
    const producer = kafka.producer({
      createPartitioner: Partitioners.DefaultPartitioner,
      allowAutoTopicCreation: false,
      idempotent: true,
      maxInFlightRequests: 1,
    });
    const consumer = kafka.consumer({groupId: `perigee-client-${randomUUID()}`, maxWaitTimeInMs: 100, allowAutoTopicCreation: false});
    const client = new Client(producer, consumer, prefix);
    let timer;
    try {
      await Promise.all([producer.connect(), consumer.connect()]);
      await consumer.subscribe({topics: [`${prefix}command-results`, `${prefix}tool-results`]});
      // Results of what is sent from now on are only seen by who reads by now.
      const reading = new Promise((resolve) => consumer.on(consumer.events.FETCH, resolve));
      await consumer.run({autoCommit: false, eachMessage: async ({message}) => client.#take(message)});
      const late = new Promise((_, reject) => {
        timer = setTimeout(() => reject(new Error(`No topic was read within ${CONNECT_MS} ms`)), CONNECT_MS);
      });
      await Promise.race([reading, late]);
      return client;
    } catch (error) {
      await client.close();
      throw error;
    } finally {
      clearTimeout(timer);
    }
  }

  configure(config, options) {
    return this.command('configure', config.team_id, config.user_id, {event: 'mcp_installation_created', config}, options);
  }

  command(commandType, teamId, userId, payload, {timeoutMs = 60_000, commandId = randomUUID()} = {}) {
    const now = Date.now();
    return this.#ask('commands', teamId, userId, commandId, timeoutMs, {
      id: commandId,
      command_type: commandType,
      issued_at: new Date(now).toISOString(),
      expires_at: new Date(now + timeoutMs).toISOString(),
      payload,
    });
  }

  call(teamId, userId, toolPath, args = {}, {timeoutMs = 30_000, requestId = randomUUID()} = {}) {
    return this.#ask('tool-requests', teamId, userId, requestId, timeoutMs + ANSWER_MARGIN_MS, {
      request_id: requestId,
      team_id: teamId,
      user_id: userId,
      method: 'tools/call',
      tool_path: toolPath,
      arguments: args,
      timeout_ms: timeoutMs,
    });
  }

  async close() {
    this.#closed = true;
    for (const waiting of this.#waiting.values()) waiting.reject(new Error('The client was closed'));
    // A producer that is disconnected while it sends never is.
    let timer;
    const late = new Promise((resolve) => (timer = setTimeout(resolve, CLOSE_MS)));
    await Promise.race([Promise.allSettled(this.#sends), late]);
    clearTimeout(timer);
    await Promise.all([this.#producer.disconnect(), this.#consumer.disconnect()]);
  }

  async #ask(topic, teamId, userId, id, timeoutMs, value) {
    if (this.#closed) throw new Error('The client was closed');
    if (this.#waiting.has(id)) throw new Error(`${id} is waited for already`);
    if (this.#waiting.size >= MOST_OPEN) throw new Error(`${MOST_OPEN} are open already`);
    let timer;
    try {
      return await new Promise((resolve, reject) => {
        timer = setTimeout(() => reject(new NoAnswer(`No result of ${id} in time`)), timeoutMs);
        this.#waiting.set(id, {resolve, reject});
        const record = {key: `${teamId}/${userId}`, value: JSON.stringify(value)};
        const send = this.#producer.send({topic: this.#prefix + topic, acks: -1, messages: [record]});
        this.#sends.add(send);
        send.catch(reject).finally(() => this.#sends.delete(send));
      });
    } finally {
      clearTimeout(timer);
      this.#waiting.delete(id);
    }
  }

  #take({key, value}) {
    const waiting = key && value && this.#waiting.get(key.toString());
    if (!waiting) return;
    let result;
    try {
      result = JSON.parse(value.toString());
    } catch {
      return; // No record of Perigee's: whoever waits goes on waiting, until the deadline.
    }
    if (result && result.outcome !== 'acknowledged') waiting.resolve(result);
  }
}

module.exports = {Client, NoAnswer, partition};
