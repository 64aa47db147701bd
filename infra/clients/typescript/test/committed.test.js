import assert from 'node:assert/strict';
import {test} from 'node:test';
import {committedBatches} from '../lib/committed.js';

const TRANSACTIONAL = 0b1_0000;
const CONTROL = 0b11_0000;

/** A batch of records that are named by their offsets. */
function batch(firstOffset, count, producerId, attributes) {
  const records = Array.from({length: count}, (_, offsetDelta) => ({offsetDelta, name: firstOffset + offsetDelta}));
  return {firstOffset: BigInt(firstOffset), lastOffsetDelta: count - 1, producerId: BigInt(producerId), attributes, records};
}

const aborted = (producerId, firstOffset) => ({producerId: BigInt(producerId), firstOffset: BigInt(firstOffset)});

function read(records, abortedTransactions, from = 0n) {
  let next;
  const names = [];
  for (const each of committedBatches({records, abortedTransactions}, from)) {
    names.push(...each.records.map(({name}) => name));
    next = each.next;
  }
  return {names, next};
}

test('records of an aborted transaction are passed over, those of others between them are not', () => {
  const batches = [batch(0, 2, 7, TRANSACTIONAL), batch(2, 1, 8, TRANSACTIONAL), batch(3, 1, -1, 0), batch(4, 1, 7, CONTROL), batch(5, 1, 8, CONTROL)];
  assert.deepEqual(read(batches, [aborted(7, 0)]), {names: [2, 3], next: 6n});
});

test('a producer may abort twice, and commit in between', () => {
  const batches = [
    batch(0, 1, 7, TRANSACTIONAL), batch(1, 1, 7, CONTROL),
    batch(2, 1, 7, TRANSACTIONAL), batch(3, 1, 7, CONTROL),
    batch(4, 1, 7, TRANSACTIONAL), batch(5, 1, 7, CONTROL),
  ];
  assert.deepEqual(read(batches, [aborted(7, 4), aborted(7, 0)]), {names: [2], next: 6n});
});

test('a marker of a transaction that wrote nothing here is no reason to fail', () => {
  assert.deepEqual(read([batch(9, 1, 7, CONTROL)], []), {names: [], next: 10n});
  assert.deepEqual(read([batch(9, 1, 7, CONTROL)], null), {names: [], next: 10n});
});

test('what is before the offset that was asked for is left out', () => {
  assert.deepEqual(read([batch(4, 4, -1, 0)], null, 6n), {names: [6, 7], next: 8n});
});

test('an empty response moves nothing', () => {
  assert.deepEqual(read(undefined, null), {names: [], next: undefined});
});
