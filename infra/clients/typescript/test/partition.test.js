// The partitioner agrees with Kafka's Java client: ClientPartitionsTest holds partitions.json to that.
import assert from 'node:assert/strict';
import {readFileSync} from 'node:fs';
import {test} from 'node:test';
import {partition} from '../index.js';

const vectors = JSON.parse(readFileSync(new URL('../../partitions.json', import.meta.url), 'utf8'));

test('a key has the partition that Java finds', () => {
  assert.ok(vectors.length > 60);
  for (const each of vectors) {
    assert.equal(partition(each.team_id, each.user_id, each.partitions), each.partition, JSON.stringify(each));
  }
});
