import assert from 'node:assert/strict';
import {test} from 'node:test';
import {LateAnswers, RecentIds} from '../lib/recent.js';

test('an id is new once, until so many others came', () => {
  const ids = new RecentIds(2);
  assert.deepEqual(['a', 'a', 'b', 'c', 'a'].map((id) => ids.add(id)), [true, false, true, true, true]);
});

test('late answers are bounded by count, by bytes and by time', () => {
  const few = new LateAnswers({most: 2, mostBytes: 10, keptMs: 60_000});
  for (const key of ['a', 'b', 'c']) few.await(key);
  for (const key of ['a', 'b', 'c']) few.offer(key, key, 4);
  assert.deepEqual(['a', 'b', 'c'].map((key) => few.take(key)), [undefined, 'b', 'c']);

  const small = new LateAnswers({most: 9, mostBytes: 10, keptMs: 60_000});
  small.await('a');
  small.await('b');
  small.offer('a', 'a', 6);
  small.offer('b', 'b', 6);
  assert.deepEqual(['a', 'b'].map((key) => small.take(key)), [undefined, 'b']);

  const short = new LateAnswers({most: 9, mostBytes: 10, keptMs: 0});
  short.await('a');
  short.offer('a', 'a', 1);
  assert.equal(short.take('a'), undefined);
});

test('a late answer is taken once', () => {
  const late = new LateAnswers({most: 9, mostBytes: 10, keptMs: 60_000});
  late.await('a');
  late.offer('a', 'a', 10);
  assert.equal(late.take('a'), 'a');
  assert.equal(late.take('a'), undefined);
  late.await('b');
  late.offer('b', 'b', 10);
  assert.equal(late.take('b'), 'b', 'the bytes of the first are free again');
});
