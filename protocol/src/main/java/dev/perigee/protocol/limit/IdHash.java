package dev.perigee.protocol.limit;

import java.security.SecureRandom;

/**
 * SipHash-2-4 of 128 bits over the UTF-16 of a string: two ids have the same hash by accident only,
 * whoever chose them, since the key is a secret of the process. Holds the last hash, so that
 * nothing is allocated. For one thread at a time.
 */
final class IdHash {
    private static final int CHARS = 4;

    private final long firstKey;
    private final long secondKey;
    private long v0;
    private long v1;
    private long v2;
    private long v3;
    private long high;
    private long low;

    IdHash(long firstKey, long secondKey) {
        this.firstKey = firstKey;
        this.secondKey = secondKey;
    }

    /** With a key of its own. */
    static IdHash random() {
        var random = new SecureRandom();
        return new IdHash(random.nextLong(), random.nextLong());
    }

    /** Hashes an id. */
    void of(String id) {
        v0 = firstKey ^ 0x736f6d6570736575L;
        v1 = secondKey ^ 0x646f72616e646f6dL ^ 0xee;
        v2 = firstKey ^ 0x6c7967656e657261L;
        v3 = secondKey ^ 0x7465646279746573L;
        int length = id.length();
        int whole = length - length % CHARS;
        for (int at = 0; at < whole; at += CHARS) {
            compress(word(id, at, at + CHARS));
        }
        compress(word(id, whole, length) | (((2L * length) & 0xff) << 56));
        v2 ^= 0xee;
        high = finish();
        v1 ^= 0xdd;
        low = finish();
    }

    /** The first half of the hash. */
    long high() {
        return high;
    }

    /** The second half of the hash. */
    long low() {
        return low;
    }

    private static long word(String id, int from, int to) {
        long word = 0;
        for (int i = to - 1; i >= from; i--) {
            word = (word << 16) | id.charAt(i);
        }
        return word;
    }

    private void compress(long word) {
        v3 ^= word;
        rounds(2);
        v0 ^= word;
    }

    private long finish() {
        rounds(4);
        return v0 ^ v1 ^ v2 ^ v3;
    }

    private void rounds(int count) {
        for (int i = 0; i < count; i++) {
            v0 += v1;
            v1 = Long.rotateLeft(v1, 13) ^ v0;
            v0 = Long.rotateLeft(v0, 32);
            v2 += v3;
            v3 = Long.rotateLeft(v3, 16) ^ v2;
            v0 += v3;
            v3 = Long.rotateLeft(v3, 21) ^ v0;
            v2 += v1;
            v1 = Long.rotateLeft(v1, 17) ^ v2;
            v2 = Long.rotateLeft(v2, 32);
        }
    }
}
