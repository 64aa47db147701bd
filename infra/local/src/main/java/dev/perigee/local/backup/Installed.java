package dev.perigee.local.backup;

import dev.perigee.local.recording.Sha256;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.Arrays;

/**
 * Process ids that the state has, eight bytes of memory each. First all are added, then it is
 * asked. By accident, once in 2^64 questions for each id, it has one that was not added. For one
 * thread.
 */
final class Installed {
    /** Ids: 32 MB. */
    static final int MOST = 4_000_000;

    private final MessageDigest digest = Sha256.begin();
    private long[] hashes = new long[1024];
    private int count;
    private boolean sorted;

    /**
     * Adds an id; none twice.
     *
     * @throws LastValues.TooManyException when there are more than {@link #MOST}
     */
    void add(String processId) {
        if (count == MOST) {
            throw new LastValues.TooManyException();
        }
        if (count == hashes.length) {
            hashes = Arrays.copyOf(hashes, count + (count >> 1));
        }
        hashes[count++] = hash(processId.getBytes(StandardCharsets.UTF_8));
        sorted = false;
    }

    int count() {
        return count;
    }

    /** Whether an id was added. */
    boolean has(byte[] processId) {
        if (!sorted) {
            Arrays.sort(hashes, 0, count);
            sorted = true;
        }
        return Arrays.binarySearch(hashes, 0, count, hash(processId)) >= 0;
    }

    private long hash(byte[] id) {
        return ByteBuffer.wrap(digest.digest(id)).getLong();
    }
}
