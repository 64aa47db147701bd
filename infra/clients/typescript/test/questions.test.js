import assert from 'node:assert/strict';
import {test} from 'node:test';
import {NoAnswer, Unreachable} from '../lib/errors.js';
import {Questions} from '../lib/questions.js';
import {Room} from '../lib/room.js';

const YES = {q: {action: 'accept'}};
const question = (id) => ({request_id: 'r-1', input_id: id, requests: {q: {method: 'elicitation/create', params: {message: 'ok?'}}}});

/** Questions whose responses get this answer, or what it throws; all that is sent, refused and thrown is kept. */
function asked(handler, {answer = () => ({outcome: 'success'}), most = 10, refused} = {}) {
  const kept = {sent: [], refused: [], failed: [], room: new Room('questions', most)};
  kept.questions = new Questions({
    handler,
    refused: refused ?? ((which, {error}) => kept.refused.push([which.input_id, error.message])),
    respond: async (which, responses) => {
      kept.sent.push([which.input_id, responses]);
      return answer(which);
    },
    failed: (error) => kept.failed.push(error),
    room: kept.room,
  });
  return kept;
}

async function until(holds) {
  for (const deadline = Date.now() + 10_000; !holds(); await new Promise(setImmediate)) assert.ok(Date.now() < deadline, String(holds));
}

/** A room of which nothing is taken has all its places. */
function assertEmpty(room, most = 10) {
  for (let place = 0; place < most; place++) room.enter();
  assert.throws(() => room.enter(), /open already/);
}

test('each question is handed over once and answered once, also side by side', async () => {
  const seen = [];
  const release = [];
  const kept = asked((which) => {
    seen.push(which.input_id);
    return new Promise((resolve) => release.push(() => resolve(YES)));
  });
  for (const id of ['i1', 'i2', 'i1', 'i2', undefined]) kept.questions.take(question(id));
  assert.deepEqual(seen, ['i1', 'i2'], 'neither waits for the other');
  release.reverse().forEach((resolve) => resolve());
  await until(() => kept.sent.length === 2);
  kept.questions.take(question('i1'));
  await new Promise(setImmediate);
  assert.deepEqual(kept.sent, [['i2', YES], ['i1', YES]]);
  assert.equal(seen.length, 2);
  assert.deepEqual([kept.refused, kept.failed], [[], []]);
  assertEmpty(kept.room);
});

test('a handler that has no response leaves the question to others', async () => {
  const kept = asked((which) => (which.input_id === 'i1' ? undefined : null));
  kept.questions.take(question('i1'));
  kept.questions.take(question('i2'));
  await new Promise(setImmediate);
  assert.deepEqual([kept.sent, kept.refused, kept.failed], [[], [], []]);
  assertEmpty(kept.room);
});

test('responses that do not count are told, and nothing is sent again', async () => {
  const kept = asked(() => YES, {answer: () => ({outcome: 'failed', error: {code: 'invalid_request', message: 'answered before'}})});
  kept.questions.take(question('i1'));
  await until(() => kept.refused.length > 0);
  assert.deepEqual(kept.refused, [['i1', 'answered before']]);
  assert.equal(kept.sent.length, 1);
  assert.deepEqual(kept.failed, []);
});

test('what a handler throws ends the wait, at once or later, and what it is told', async () => {
  const refusal = {answer: () => ({outcome: 'failed', error: {}}), refused: () => { throw new Error('unheard'); }};
  for (const [message, kept] of [
    ['at once', asked(() => { throw new Error('at once'); })],
    ['later', asked(async () => { throw new Error('later'); })],
    ['unheard', asked(() => YES, refusal)],
    ['No broker', asked(() => YES, {answer: () => { throw new Unreachable('No broker', true); }})],
  ]) {
    kept.questions.take(question('i1'));
    await until(() => kept.failed.length > 0);
    assert.deepEqual(kept.failed.map((error) => error.message), [message]);
    assertEmpty(kept.room);
  }
});

test('responses of which nothing is heard leave the question to its expiry', async () => {
  const kept = asked(() => YES, {answer: () => { throw new NoAnswer('No result', true); }});
  kept.questions.take(question('i1'));
  await until(() => kept.sent.length > 0);
  await new Promise(setImmediate);
  assert.deepEqual([kept.refused, kept.failed], [[], []]);
});

test('the end of the call is told to handlers; what they do then does not count', async () => {
  const kept = asked((which, signal) => new Promise((resolve, reject) => {
    signal.addEventListener('abort', () => (which.input_id === 'i1' ? reject(new Error('too late')) : resolve(YES)));
  }));
  kept.questions.take(question('i1'));
  kept.questions.take(question('i2'));
  kept.questions.close();
  kept.questions.take(question('i3'));
  await new Promise(setImmediate);
  assert.deepEqual([kept.sent, kept.failed], [[], []]);
  assertEmpty(kept.room);
});

test('the questions of a call are bounded, and those of all calls together', async () => {
  let handed = 0;
  const counted = asked(() => { handed++; }, {most: 1_000});
  for (let n = 0; n < 200; n++) counted.questions.take(question(`i${n}`));
  assert.equal(handed, 100);

  const many = asked(() => new Promise(() => {}), {most: 1_000});
  for (let n = 0; n < 100; n++) many.questions.take(question(`i${n}`));
  for (let place = 100; place < 1_000; place++) many.room.enter();
  assert.throws(() => many.room.enter(), /1000 questions/);
  many.questions.close();
  many.room.enter();
});
