// The partition of a record's key, as Kafka's Java client computes it: murmur2.
const SEED = 0x9747b28c;
const MULTIPLIER = 0x5bd1e995;

function murmur2(bytes) {
  let value = SEED ^ bytes.length;
  const whole = bytes.length & ~3;
  for (let at = 0; at < whole; at += 4) {
    let word = Math.imul(bytes.readInt32LE(at), MULTIPLIER);
    word = Math.imul(word ^ (word >>> 24), MULTIPLIER);
    value = Math.imul(value, MULTIPLIER) ^ word;
  }
  if (whole < bytes.length) {
    value = Math.imul(value ^ bytes.readUIntLE(whole, bytes.length - whole), MULTIPLIER);
  }
  value = Math.imul(value ^ (value >>> 13), MULTIPLIER);
  return value ^ (value >>> 15);
}

/** Of any key's bytes. */
export function partitionOf(key, partitions) {
  return (murmur2(key) & 0x7fffffff) % partitions;
}

export function partition(teamId, userId, partitions) {
  return partitionOf(Buffer.from(`${teamId}/${userId}`), partitions);
}
