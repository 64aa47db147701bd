package dev.perigee.worker.mcp;

import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.json.RawJson;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * First exchange with a server over pipes, which finds out its era. One that is not known is asked
 * for {@code server/discover}, as the specification's page about stdio says; any error, or silence
 * of {@link #PROBE}, is followed by {@code initialize}. A known era is tried first, and the other
 * one when it fails, since a program may be replaced. On the calling thread, once.
 *
 * <pre>
 *  unknown, modern: discover ──result──▶ modern
 *                      └──error, silence──▶ initialize ──result──▶ legacy
 *                                              └──error, after silence──▶ discover ──result──▶ modern
 *  legacy:          initialize ──result──▶ legacy
 *                      └──error──▶ discover ──result──▶ modern
 * </pre>
 */
final class StdioHandshake {
    /**
     * Until an unanswered probe is followed by {@code initialize}. A server that is still starting
     * loses nothing by it: both wait in its input.
     */
    static final Duration PROBE = Duration.ofMillis(500);

    /** Of the whole time: a short one must leave some for {@code initialize}. */
    private static final int PROBE_PART = 4;

    private final Wire wire;
    private final McpOptions options;
    private final Duration timeout;
    private final long startNanos = System.nanoTime();

    /** The server's pipes. */
    interface Wire {
        /** Sends a request as it is and waits for the result. */
        RawJson ask(String method, RawJson params, Duration timeout)
                throws McpException, InterruptedException;

        /** Ends the legacy handshake. */
        void initialized(Duration timeout) throws McpException;
    }

    /**
     * What came of it.
     *
     * @param era which is spoken from now on
     * @param certain whether it is worth remembering
     */
    record Outcome(ServerInfo info, Era era, boolean certain) {}

    StdioHandshake(Wire wire, McpOptions options, Duration timeout) {
        this.wire = wire;
        this.options = options;
        this.timeout = timeout;
    }

    /** Makes it; null stands for an era that is not known. */
    Outcome make(@Nullable Era remembered) throws McpException, InterruptedException {
        return remembered == Era.LEGACY ? legacyFirst() : modernFirst();
    }

    private Outcome legacyFirst() throws McpException, InterruptedException {
        try {
            return initialize();
        } catch (McpException refused) {
            return discoverAfter(refused);
        }
    }

    private Outcome modernFirst() throws McpException, InterruptedException {
        McpException why;
        try {
            return discover(probe());
        } catch (McpException e) {
            why = e;
        }
        if (why.isEnd() || why.kind() == McpException.Kind.NOT_READ) {
            throw why;
        }
        boolean silent = why.kind() == McpException.Kind.TIMEOUT;
        long asked = System.nanoTime();
        try {
            var outcome = initialize();
            boolean awake = System.nanoTime() - asked < PROBE.toNanos();
            return silent && !awake ? new Outcome(outcome.info(), Era.LEGACY, false) : outcome;
        } catch (McpException refused) {
            if (silent) {
                return discoverAfter(refused);
            }
            throw refused;
        }
    }

    /** A server that refuses {@code initialize} may be a modern one. */
    private Outcome discoverAfter(McpException refused) throws McpException, InterruptedException {
        if (refused.kind() != McpException.Kind.SERVER_ERROR) {
            throw refused;
        }
        try {
            return discover(left());
        } catch (McpException e) {
            throw e.isEnd() ? e : refused;
        }
    }

    private Outcome initialize() throws McpException, InterruptedException {
        var result = wire.ask("initialize", Json.raw(Initialize.of(options)), left());
        var info = ServerInfo.read(result);
        wire.initialized(left());
        return new Outcome(info, Era.LEGACY, true);
    }

    private Outcome discover(Duration limit) throws McpException, InterruptedException {
        var params = new ModernMeta(options).put(RawJson.EMPTY_OBJECT);
        var info = ServerInfo.discovered(wire.ask("server/discover", params, limit));
        return new Outcome(info, Era.MODERN, true);
    }

    private Duration probe() {
        var part = timeout.dividedBy(PROBE_PART);
        return part.compareTo(PROBE) < 0 ? part : PROBE;
    }

    private Duration left() {
        return timeout.minusNanos(System.nanoTime() - startNanos);
    }
}
