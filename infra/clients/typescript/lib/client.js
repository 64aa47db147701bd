import {randomUUID} from 'node:crypto';
import {Answers, CALL_EVENTS} from './answers.js';
import {NoAnswer, Refused, Unreachable} from './errors.js';
import {EventFeed} from './feed.js';
import {Questions} from './questions.js';
import {Reader} from './reader.js';
import {Room} from './room.js';
import {Sender} from './sender.js';

const MOST_OPEN = 10_000;
const MARGIN_MS = 5_000;
const CLOSE_MS = 5_000;
const EXTENDED_MS = 3_600_000;
const LONGEST_INPUT_MS = 3_600_000;
const LONGEST_MS = 86_400_000;
const LONGEST_ID = 200;

export class Client {
  #settings;
  #prefix;
  #replies;
  #hasEvents;
  #sender;
  #answers;
  #reader;
  #closed = false;
  #room = new Room('commands and calls', MOST_OPEN);
  #questionRoom = new Room('questions', MOST_OPEN);
  /** Of responses: all other room may be of the calls that wait for them. */
  #responseRoom = new Room('responses', MOST_OPEN);

  static async connect({brokers, prefix = 'mcp.', replies, callEvents = false, kafka = {}}) {
    const client = new Client({...kafka, brokers}, prefix, replies, callEvents);
    await client.#sender.check();
    const read = new Map([[client.#name('command-results'), null], [replies?.topic ?? client.#name('tool-results'), replies?.partition ?? null]]);
    if (callEvents && !replies) read.set(client.#name('call-events'), null);
    client.#reader = await Reader.open(client.#settings, read, 'end', (record) => client.#answers.take(record));
    return client;
  }

  constructor(settings, prefix, replies, callEvents) {
    this.#settings = settings;
    this.#prefix = prefix;
    this.#replies = replies;
    this.#hasEvents = callEvents || replies !== undefined;
    this.#sender = new Sender(settings, [this.#name('commands'), this.#name('tool-requests')]);
    this.#answers = new Answers(this.#name('command-results'));
  }

  configure(config, options) {
    return this.command('configure', config.team_id, config.user_id, {event: 'mcp_installation_created', config}, options);
  }

  async command(commandType, teamId, userId, payload, {timeoutMs = 60_000, commandId = randomUUID(), priority, correlationId, signal} = {}) {
    const now = Date.now();
    const value = {
      id: commandId,
      command_type: commandType,
      priority,
      correlation_id: correlationId,
      issued_at: new Date(now).toISOString(),
      expires_at: new Date(now + checkedTime(timeoutMs)).toISOString(),
      payload: {team_id: teamId, ...(userId === '*' ? {} : {user_id: userId}), ...payload},
    };
    return this.#ask('command', commandId, timeoutMs, {topic: this.#name('commands'), key: key(teamId, userId, true), value}, {signal});
  }

  call(teamId, userId, toolPath, args = {}, options) {
    return this.request('tools/call', teamId, userId, {tool_path: toolPath, arguments: args}, options);
  }

  tools(teamId, userId, options) {
    return this.request('tools/list', teamId, userId, {}, options);
  }

  async request(method, teamId, userId, fields = {}, options = {}) {
    const {timeoutMs = 30_000, requestId = randomUUID(), installationId, logLevel, extendOnProgressMs, maxTimeoutMs, inputTimeoutMs, meta, traceparent, signal} = options;
    const accepted = CALL_EVENTS.filter(({handler}) => options[handler] !== undefined);
    if (accepted.length > 0 && !this.#hasEvents) throw new TypeError('Events of calls are read by a client that was connected with callEvents or replies');
    const running = checkedTime(extendOnProgressMs === undefined ? timeoutMs : Math.max(timeoutMs, maxTimeoutMs ?? EXTENDED_MS));
    const asked = options.onInput === undefined ? 0 : checkedTime(options.longestInputMs ?? LONGEST_INPUT_MS, 'longestInputMs');
    const accepts = new Set(accepted.map((event) => event.accepts));
    if (extendOnProgressMs !== undefined) accepts.add('progress');
    const value = {
      request_id: requestId,
      team_id: teamId,
      user_id: userId,
      method,
      installation_id: installationId,
      ...fields,
      timeout_ms: checkedTime(timeoutMs),
      accepts: accepts.size > 0 ? [...accepts] : undefined,
      log_level: logLevel,
      extend_on_progress_ms: extendOnProgressMs,
      max_timeout_ms: maxTimeoutMs,
      input_timeout_ms: inputTimeoutMs,
      meta,
    };
    const headers = {...this.#replyHeaders(), ...(traceparent === undefined ? {} : {traceparent})};
    const record = {topic: this.#name('tool-requests'), key: key(teamId, userId), value, headers};
    const handlers = Object.fromEntries(accepted.map(({handler}) => [handler, options[handler]]));
    const questions = options.onInput && this.#questions(requestId, options);
    if (questions) handlers.onInput = (question) => questions.take(question);
    try {
      const onAbort = () => this.#send(cancelling(record, requestId));
      return await this.#ask('call', requestId, running + asked + MARGIN_MS, record, {handlers, signal, onAbort});
    } finally {
      questions?.close();
    }
  }

  /** Answers a question of a running call, whoever waits for that. */
  async respond(question, responses, {timeoutMs = 30_000, requestId = `input-${randomUUID()}`, signal} = {}) {
    const {team_id: teamId, user_id: userId, request_id: inReplyTo, input_id: inputId} = question;
    const value = {
      request_id: requestId,
      team_id: teamId,
      user_id: userId,
      method: 'call/respond',
      in_reply_to: inReplyTo,
      input_id: inputId,
      responses,
      timeout_ms: checkedTime(timeoutMs),
    };
    const record = {topic: this.#name('tool-requests'), key: key(teamId, userId), value, headers: this.#replyHeaders()};
    return this.#ask('call', requestId, timeoutMs + MARGIN_MS, record, {signal, within: this.#responseRoom});
  }

  async cancel(teamId, userId, requestId) {
    const record = {topic: this.#name('tool-requests'), key: key(teamId, userId), value: {request_id: requestId, team_id: teamId, user_id: userId}};
    const sending = this.#send(cancelling(record, requestId));
    await this.#inTime(sending.done, MARGIN_MS, () => this.#missing('The cancellation of', requestId, sending));
  }

  /** Events of servers, each once. */
  follow(topics, options = {}) {
    return EventFeed.open(this.#settings, this.#prefix, topics, options);
  }

  async close() {
    if (this.#closed) return;
    this.#closed = true;
    this.#answers.fail(new Unreachable('The client was closed', true));
    await this.#sender.close(CLOSE_MS);
    await this.#reader?.close();
  }

  #name(topic) {
    return this.#prefix + topic;
  }

  #replyHeaders() {
    if (!this.#replies) return {};
    const {topic, partition} = this.#replies;
    if (partition === undefined) return {kafka_replyTopic: topic};
    const bytes = Buffer.alloc(4);
    bytes.writeInt32BE(partition);
    return {kafka_replyTopic: topic, kafka_replyPartition: bytes};
  }

  #questions(requestId, {onInput, onInputRefused}) {
    return new Questions({
      handler: onInput,
      refused: onInputRefused,
      respond: (question, responses, signal) => this.respond(question, responses, {signal}),
      failed: (error) => this.#answers.failOne('call', requestId, error),
      room: this.#questionRoom,
    });
  }

  #send(record) {
    const sending = this.#sender.send(record);
    setTimeout(() => this.#sender.withdraw(sending), MARGIN_MS).unref();
    return sending;
  }

  /** Sends a record and waits for the answer under its id. onAbort: called where it may be running by then; within: the room that it takes a place of */
  async #ask(kind, id, timeoutMs, record, {handlers, signal, onAbort, within = this.#room}) {
    signal?.throwIfAborted();
    if (this.#closed) throw new Unreachable('The client was closed');
    within.enter();
    try {
      return await this.#answer(kind, id, timeoutMs, record, {handlers, signal, onAbort});
    } finally {
      within.leave();
    }
  }

  async #answer(kind, id, timeoutMs, record, {handlers, signal, onAbort = () => {}}) {
    const waiting = this.#answers.expect(kind, id, handlers);
    let sending;
    const abort = () => {
      waiting.reject(signal.reason);
      try {
        if (sending?.began) onAbort();
      } catch {
        // Too much waits already: its deadline ends it.
      }
    };
    let mayCome = true;
    try {
      if (!waiting.isAnswered) {
        signal?.addEventListener('abort', abort, {once: true});
        sending = this.#sender.send(record);
        sending.done.catch((error) => {
          mayCome = false;
          waiting.reject(error);
        });
      }
      const answer = await this.#inTime(waiting.answer, timeoutMs, () => this.#missing('No result of', id, sending));
      mayCome = false;
      return answer;
    } finally {
      signal?.removeEventListener('abort', abort);
      this.#answers.forget(waiting, mayCome && sending?.began);
      if (sending) this.#sender.withdraw(sending);
    }
  }

  async #inTime(promise, timeoutMs, late) {
    let timer;
    const over = new Promise((_, reject) => (timer = setTimeout(() => reject(late()), timeoutMs)));
    try {
      return await Promise.race([promise, over]);
    } finally {
      clearTimeout(timer);
    }
  }

  #missing(what, id, {began}) {
    const failure = this.#sender.failure ?? this.#reader?.failure;
    if (failure instanceof Refused) return failure;
    return failure ? new Unreachable(failure.message, began) : new NoAnswer(`${what} ${id} in time`, began);
  }
}

function cancelling(record, requestId) {
  const {team_id, user_id} = record.value;
  return {topic: record.topic, key: record.key, value: {request_id: requestId, team_id, user_id, method: 'cancel'}};
}

function key(teamId, userId, maybeAll = false) {
  for (const [what, id] of [['team', teamId], ['user', userId]]) {
    if (typeof id !== 'string' || id === '' || id.length > LONGEST_ID || id.includes('/')) {
      throw new TypeError(`The id of a ${what} has 1 to ${LONGEST_ID} characters and no "/"`);
    }
    if (id === '*' && !(maybeAll && what === 'user')) throw new TypeError(`"*" is no id of a ${what} here`);
  }
  return `${teamId}/${userId}`;
}

function checkedTime(milliseconds, what = 'timeoutMs') {
  if (!Number.isInteger(milliseconds) || milliseconds < 1 || milliseconds > LONGEST_MS) {
    throw new RangeError(`${what} is 1 to ${LONGEST_MS} milliseconds, not ${milliseconds}`);
  }
  return milliseconds;
}
