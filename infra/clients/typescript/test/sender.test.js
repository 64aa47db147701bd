import assert from 'node:assert/strict';
import {test} from 'node:test';
import {Refused, Unreachable} from '../lib/errors.js';
import {Sender} from '../lib/sender.js';

const TOPIC = 'mcp.tool-requests';

/** A broker's answers in order, by what each request brought; what it took is in `log`. */
class FakeBrokers {
  log = [];

  constructor(answers, leaders = [1]) {
    this.answers = answers;
    this.leaders = leaders;
  }

  async topics(names) {
    this.asked = true;
    return new Map(names.map((name) => [name, {id: name, leaders: this.leaders}]));
  }

  async request(node, api, acks, timeout, messages) {
    assert.equal(api, 'Produce');
    assert.equal(acks, -1);
    const values = messages.map(({value}) => JSON.parse(value).n);
    const answer = this.answers.shift() ?? 0;
    if (answer instanceof Error) throw answer;
    const code = typeof answer === 'function' ? answer(values) : answer;
    if (code === 0) this.log.push(values);
    const partitions = [...new Set(messages.map(({partition}) => partition))];
    return {responses: [{name: TOPIC, partitionResponses: partitions.map((index) => ({index, errorCode: code}))}]};
  }

  async close() {}
}

function sending(brokers) {
  return new Sender({}, [TOPIC], () => brokers);
}

async function until(holds) {
  for (const deadline = Date.now() + 10_000; !holds(); await new Promise(setImmediate)) assert.ok(Date.now() < deadline, String(holds));
}

const record = (n) => ({topic: TOPIC, key: 't/u', value: {n}});

test('records are written in the order of the calls, one batch at a time', async () => {
  const brokers = new FakeBrokers([]);
  const sender = sending(brokers);
  await Promise.all([1, 2, 3].map((n) => sender.send(record(n)).done));
  assert.deepEqual(brokers.log.flat(), [1, 2, 3]);
  await sender.close(1_000);
});

test('a record that comes just as the one before is acknowledged is written, too', async () => {
  for (let turns = 0; turns < 30; turns++) {
    const brokers = new FakeBrokers([]);
    const sender = sending(brokers);
    await sender.send(record(1)).done;
    for (let turn = 0; turn < turns; turn++) await null;
    sender.send(record(2));
    await until(() => brokers.log.flat().length === 2);
    await sender.close(1_000);
  }
});

test('what a broker did not acknowledge is sent again, in order', async () => {
  const brokers = new FakeBrokers([new Error('connection reset'), 7, 6, 0]);
  const sender = sending(brokers);
  await Promise.all([1, 2].map((n) => sender.send(record(n)).done));
  assert.deepEqual(brokers.log.flat(), [1, 2]);
  assert.equal(sender.failure, undefined);
  await sender.close(1_000);
});

test('a record that is too large is refused, those beside it are written', async () => {
  const tooLarge = (values) => (values.includes(2) ? 10 : 0);
  const brokers = new FakeBrokers(Array(9).fill(tooLarge));
  const sender = sending(brokers);
  const results = await Promise.allSettled([1, 2, 3].map((n) => sender.send(record(n)).done));
  assert.deepEqual(results.map(({status}) => status), ['fulfilled', 'rejected', 'fulfilled']);
  assert.ok(results[1].reason instanceof Refused);
  assert.deepEqual(brokers.log.flat(), [1, 3]);
  await sender.close(1_000);
});

test('a missing right refuses at once', async () => {
  const sender = sending(new FakeBrokers([29]));
  await assert.rejects(sender.send(record(1)).done, Refused);
  await sender.close(1_000);
});

test('what is withdrawn before it was begun is never sent', async () => {
  const brokers = new FakeBrokers([], [-1]);
  const sender = sending(brokers);
  const withdrawn = sender.send(record(1));
  await until(() => brokers.asked);
  assert.equal(withdrawn.began, false);
  sender.withdraw(withdrawn);
  brokers.leaders = [1];
  await sender.send(record(2)).done;
  assert.deepEqual(brokers.log.flat(), [2]);
  await sender.close(1_000);
});

test('a failure is said while it lasts', async () => {
  const sender = sending(new FakeBrokers([new Error('no route to host'), new Error('no route to host')]));
  const done = sender.send(record(1)).done;
  await until(() => sender.failure);
  assert.ok(sender.failure instanceof Unreachable);
  assert.match(sender.failure.message, /no route to host/);
  await done;
  assert.equal(sender.failure, undefined);
  await sender.close(1_000);
});

test('closing does not wait longer than it is told', async () => {
  const sender = sending(new FakeBrokers([], [-1]));
  sender.send(record(1));
  await sender.close(50);
});

test('what waits is bounded by bytes, and there is room again', async () => {
  const brokers = new FakeBrokers([], [-1]);
  const sender = sending(brokers);
  const large = {topic: TOPIC, key: 't/u', value: {n: 1, text: 'x'.repeat(40 << 20)}};
  const first = sender.send(large);
  assert.throws(() => sender.send(large), Refused);
  sender.withdraw(first);
  const second = sender.send(large);
  brokers.leaders = [1];
  await second.done;
  await sender.send(large).done;
  await sender.close(1_000);
});
