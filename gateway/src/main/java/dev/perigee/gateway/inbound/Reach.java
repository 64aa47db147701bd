package dev.perigee.gateway.inbound;

import static java.nio.charset.StandardCharsets.US_ASCII;

import dev.perigee.protocol.json.InvalidRecordException;
import dev.perigee.protocol.json.Json;
import java.nio.ByteBuffer;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What a gateway tells the others of its group as it joins: which workers it hears, and of which
 * partitions it misses the worker. It follows what the assignor before this one tells, whose
 * versions read from the front and so do not see it.
 *
 * @param hears ids of workers
 * @param misses by partition the id of its worker
 */
public record Reach(Set<String> hears, Map<Integer, String> misses) {
    /** Of an older version nothing is known. */
    static final Reach UNKNOWN = new Reach(Set.of(), Map.of());

    private static final int MARK = ByteBuffer.wrap("RCH1".getBytes(US_ASCII)).getInt();
    private static final int TRAILER_BYTES = 2 * Integer.BYTES;

    @SuppressWarnings("NullAway") // Jackson passes null for what another version did not write.
    public Reach {
        hears = hears == null ? Set.of() : Set.copyOf(hears);
        misses = misses == null ? Map.of() : Map.copyOf(misses);
    }

    /** This behind what was there. */
    ByteBuffer after(@Nullable ByteBuffer front) {
        var own = Json.write(this);
        int before = front == null ? 0 : front.remaining();
        var both = ByteBuffer.allocate(before + own.length + TRAILER_BYTES);
        if (front != null) {
            both.put(front.duplicate());
        }
        both.put(own).putInt(own.length).putInt(MARK);
        both.flip();
        return both;
    }

    /** What a member told. */
    static Reach of(@Nullable ByteBuffer told) {
        int length = length(told);
        if (told == null || length < 0) {
            return UNKNOWN;
        }
        var own = new byte[length];
        told.get(told.limit() - TRAILER_BYTES - length, own);
        try {
            return Json.read(own, Reach.class);
        } catch (InvalidRecordException e) {
            return UNKNOWN;
        }
    }

    /** What was there before it. */
    static @Nullable ByteBuffer front(@Nullable ByteBuffer told) {
        int length = length(told);
        return told == null || length < 0
                ? told
                : told.slice(told.position(), told.remaining() - TRAILER_BYTES - length);
    }

    /** Of this, negative where there is none. */
    private static int length(@Nullable ByteBuffer told) {
        if (told == null
                || told.remaining() < TRAILER_BYTES
                || told.getInt(told.limit() - Integer.BYTES) != MARK) {
            return -1;
        }
        int length = told.getInt(told.limit() - TRAILER_BYTES);
        return length <= told.remaining() - TRAILER_BYTES ? length : -1;
    }
}
