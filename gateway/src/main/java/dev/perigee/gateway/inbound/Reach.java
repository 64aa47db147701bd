package dev.perigee.gateway.inbound;

import static java.nio.charset.StandardCharsets.US_ASCII;

import dev.perigee.protocol.json.InvalidRecordException;
import dev.perigee.protocol.json.Json;
import java.nio.ByteBuffer;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Workers that a gateway reaches, in the user data of its join. It follows the user data of the
 * cooperative-sticky assignor, which is read from its beginning: older versions ignore it.
 *
 * @param hears ids of workers that answered a ping lately
 * @param misses ids of workers that it needs and has not reached for a while
 * @param hosts by partition the worker that may run its processes: of those that this gateway owns,
 *     or owned until a moment ago
 */
public record Reach(Set<String> hears, Set<String> misses, Map<Integer, String> hosts) {
    /** Of an older version nothing is known. */
    public static final Reach UNKNOWN = new Reach(Set.of(), Set.of(), Map.of());

    private static final int MARK = ByteBuffer.wrap("RCH1".getBytes(US_ASCII)).getInt();
    private static final int TRAILER_BYTES = 2 * Integer.BYTES;

    @SuppressWarnings("NullAway") // Jackson passes null for what another version did not write.
    public Reach {
        hears = hears == null ? Set.of() : Set.copyOf(hears);
        misses = misses == null ? Set.of() : Set.copyOf(misses);
        hosts = hosts == null ? Map.of() : Map.copyOf(hosts);
    }

    /** Whether partitions of this worker can be served by this gateway. */
    boolean serves(String worker) {
        return hears.contains(worker) && !misses.contains(worker);
    }

    /** Appends this to the assignor's own user data. */
    ByteBuffer after(@Nullable ByteBuffer userData) {
        var own = Json.write(this);
        int before = userData == null ? 0 : userData.remaining();
        var both = ByteBuffer.allocate(before + own.length + TRAILER_BYTES);
        if (userData != null) {
            both.put(userData.duplicate());
        }
        both.put(own).putInt(own.length).putInt(MARK);
        both.flip();
        return both;
    }

    /** Reads what {@link #after} appended; {@link #UNKNOWN} where there is nothing of the kind. */
    static Reach of(@Nullable ByteBuffer userData) {
        if (userData == null
                || userData.remaining() < TRAILER_BYTES
                || userData.getInt(userData.limit() - Integer.BYTES) != MARK) {
            return UNKNOWN;
        }
        int length = userData.getInt(userData.limit() - TRAILER_BYTES);
        if (length < 0 || length > userData.remaining() - TRAILER_BYTES) {
            return UNKNOWN;
        }
        var own = new byte[length];
        userData.get(userData.limit() - TRAILER_BYTES - length, own);
        try {
            return Json.read(own, Reach.class);
        } catch (InvalidRecordException e) {
            return UNKNOWN;
        }
    }
}
