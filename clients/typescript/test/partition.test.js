// The partitioner agrees with Kafka's Java client, which made partitions.json.
const assert = require('node:assert/strict');
const {test} = require('node:test');
const partition = require('../partition.js');
const partitions = require('../../partitions.json');

for (const each of partitions) {
  test(`${each.team_id}/${each.user_id} of ${each.partitions}`, () => {
    assert.equal(partition(each.team_id, each.user_id, each.partitions), each.partition);
  });
}
