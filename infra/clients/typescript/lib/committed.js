const CONTROL = 0b10_0000;
const TRANSACTIONAL = 0b1_0000;

/**
 * What a read_committed consumer hands over of one partition of a fetch's response, batch by batch, and where to read on after it: records of
 * transactions that were aborted, and markers, are passed over.
 */
export function* committedBatches({records: batches = [], abortedTransactions}, from) {
  const aborted = [...(abortedTransactions ?? [])].sort((a, b) => (a.firstOffset < b.firstOffset ? -1 : 1));
  const open = new Set();
  for (const batch of batches) {
    const last = batch.firstOffset + BigInt(batch.lastOffsetDelta);
    while (aborted.length > 0 && aborted[0].firstOffset <= last) open.add(aborted.shift().producerId);
    let records = [];
    if (batch.attributes & CONTROL) {
      // A marker ends its producer's transaction, whichever way.
      open.delete(batch.producerId);
    } else if (!(batch.attributes & TRANSACTIONAL && open.has(batch.producerId))) {
      // A batch is delivered whole: it may begin before the offset that was asked for.
      records = batch.records.map((record) => ({...record, offset: batch.firstOffset + BigInt(record.offsetDelta)})).filter(({offset}) => offset >= from);
    }
    yield {records, next: last + 1n};
  }
}
