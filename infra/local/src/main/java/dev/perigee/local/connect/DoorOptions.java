package dev.perigee.local.connect;

import dev.perigee.protocol.settings.HostPort;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/**
 * Options of a door. Immutable.
 *
 * @param listen where it listens; port 0 for a free one
 * @param tokens the file of those who may come in
 * @param hosts names by which clients reach it, besides those of this machine for itself
 * @param timeout of each call, as {@link ConnectOptions#timeout}
 * @param idle how long a session may go unused
 * @param version of this server, as clients show it
 */
public record DoorOptions(
        HostPort listen,
        Path tokens,
        List<String> hosts,
        Duration timeout,
        Duration idle,
        String version) {
    /** Sessions of the revisions before 2026-07-28, of one user and in all. */
    static final int SESSIONS_OF_ONE = 16;

    static final int SESSIONS = 1_024;

    /** Requests of 2026-07-28 that run or wait for input, of one user and in all. */
    static final int CALLS_OF_ONE = 64;

    static final int CALLS = 4_096;

    /** HTTP requests that are being answered, streams among them. */
    static final int EXCHANGES_OF_ONE = 64;

    static final int EXCHANGES = 1_024;

    /**
     * Bytes of bodies, held until their calls end, of replies that wait for a retry, and of replies
     * and questions on their way, in all: of each there are several copies for a while.
     */
    static final long BYTES = Math.max(16 << 20, Runtime.getRuntime().maxMemory() / 8);

    static final long BYTES_OF_ONE = Math.min(32 << 20, BYTES / 2);

    /** Catalogues that are followed: one for all servers of a user, one for each that is named. */
    static final int VIEWS_OF_ONE = 16;

    static final int VIEWS = 512;

    public DoorOptions {
        hosts = List.copyOf(hosts);
    }

    /** How long a response may take: longer than any call. */
    Duration longestResponse() {
        return ClientCalls.longest(timeout).plusMinutes(1);
    }
}
