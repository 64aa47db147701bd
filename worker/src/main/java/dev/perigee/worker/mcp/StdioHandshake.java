package dev.perigee.worker.mcp;

import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.json.RawJson;
import java.time.Duration;

/**
 * First exchange with a server over pipes, which finds out its era: {@code initialize}, and {@code
 * server/discover} where that is refused by an error. So a legacy server reads nothing that it may
 * not know, and one of both eras is spoken with as before. On the calling thread, once.
 *
 * <pre>
 *  initialize ──result──▶ legacy
 *      └──error──▶ discover ──result──▶ modern
 * </pre>
 */
final class StdioHandshake {
    private static final Duration DISCOVER = Duration.ofSeconds(2);

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
     */
    record Outcome(ServerInfo info, Era era) {}

    StdioHandshake(Wire wire, McpOptions options, Duration timeout) {
        this.wire = wire;
        this.options = options;
        this.timeout = timeout;
    }

    /**
     * Makes it.
     *
     * @throws McpException why {@code initialize} was refused, where the server is no modern one
     *     either
     */
    Outcome make() throws McpException, InterruptedException {
        try {
            return initialize();
        } catch (McpException refused) {
            if (refused.kind() != McpException.Kind.SERVER_ERROR) {
                throw refused;
            }
            try {
                return discover();
            } catch (McpException e) {
                refused.addSuppressed(e);
                throw refused;
            }
        }
    }

    private Outcome initialize() throws McpException, InterruptedException {
        var result = wire.ask("initialize", Json.raw(Initialize.of(options)), left());
        var info = ServerInfo.read(result);
        wire.initialized(left());
        return new Outcome(info, Era.LEGACY);
    }

    private Outcome discover() throws McpException, InterruptedException {
        var params = new ModernMeta(options).put(RawJson.EMPTY_OBJECT);
        var info = ServerInfo.discovered(wire.ask("server/discover", params, soon()));
        return new Outcome(info, Era.MODERN);
    }

    /** Who has refused is awake; one that does not know the question may say nothing. */
    private Duration soon() {
        return left().compareTo(DISCOVER) < 0 ? left() : DISCOVER;
    }

    private Duration left() {
        return timeout.minusNanos(System.nanoTime() - startNanos);
    }
}
