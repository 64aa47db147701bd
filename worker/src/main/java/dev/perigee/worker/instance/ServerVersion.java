package dev.perigee.worker.instance;

import dev.perigee.protocol.config.ServerConfig;
import dev.perigee.worker.mcp.ServerInfo;
import org.jspecify.annotations.Nullable;

/**
 * Version of a server, by which releases are told apart: the commit that its configuration names,
 * else that of the installed package, else what the server says in its handshake. What a server
 * says is bounded and without control characters. Pure.
 */
final class ServerVersion {
    /** The longest version, in characters. */
    static final int MAX_CHARS = 100;

    private static final int COMMIT_CHARS = 12;

    private ServerVersion() {}

    /**
     * The version as far as it is known, null where nothing is.
     *
     * @param installed of the package, null where there is none
     * @param said what the server said of itself, null before the handshake
     */
    static @Nullable String of(
            ServerConfig config, @Nullable String installed, @Nullable ServerInfo said) {
        var commit = config.gitCommitSha();
        if (commit != null && !commit.isBlank()) {
            return commit.length() > COMMIT_CHARS
                    ? bounded(commit.substring(0, COMMIT_CHARS))
                    : bounded(commit);
        }
        if (installed != null) {
            return bounded(installed);
        }
        return said == null ? null : bounded(said.version());
    }

    private static @Nullable String bounded(String version) {
        var text = version.replaceAll("[\\p{Cc}\\p{Cf}\\u2028\\u2029]", " ").strip();
        if (text.length() > MAX_CHARS) {
            int end =
                    Character.isHighSurrogate(text.charAt(MAX_CHARS - 1))
                            ? MAX_CHARS - 1
                            : MAX_CHARS;
            text = text.substring(0, end);
        }
        return text.isEmpty() ? null : text;
    }
}
