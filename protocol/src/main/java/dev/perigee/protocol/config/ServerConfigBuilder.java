package dev.perigee.protocol.config;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Builder of an installation's configuration, for backends. What is not set is absent, as in a
 * command that does not name it. For one thread.
 */
public final class ServerConfigBuilder {
    private final String installationId;
    private final String serverSlug;
    private final Owner owner;
    private final TransportType transport;
    private final @Nullable String command;
    private final List<String> args;
    private Map<String, String> env = Map.of();
    private @Nullable String installationName;
    private @Nullable String url;
    private Map<String, String> headers = Map.of();
    private Map<String, String> urlQueryParams = Map.of();
    private @Nullable Long handshakeTimeoutMs;
    private @Nullable ServerSettings settings;
    private @Nullable List<String> egress;

    /**
     * Owner of an installation.
     *
     * @param teamId id of the team, as in the key of its commands
     * @param teamSlug part of the process id
     * @param userId id of the user, as in the key of the user's commands
     * @param userSlug part of the process id
     */
    public record Owner(String teamId, String teamSlug, String userId, String userSlug) {}

    /**
     * Begins with what every program has.
     *
     * @param transport {@code stdio} or {@code command}
     */
    public ServerConfigBuilder(
            String installationId,
            String serverSlug,
            Owner owner,
            TransportType transport,
            @Nullable String command,
            List<String> args) {
        this.installationId = installationId;
        this.serverSlug = serverSlug;
        this.owner = owner;
        this.transport = transport;
        this.command = command;
        this.args = args;
    }

    /**
     * Begins with what every server elsewhere has.
     *
     * @param transport {@code http} or {@code sse}
     */
    public static ServerConfigBuilder elsewhere(
            String installationId,
            String serverSlug,
            Owner owner,
            TransportType transport,
            String url) {
        var builder =
                new ServerConfigBuilder(
                        installationId, serverSlug, owner, transport, null, List.of());
        builder.url = url;
        return builder;
    }

    /** Sent with each request; values are credentials. */
    public ServerConfigBuilder headers(Map<String, String> headers) {
        this.headers = headers;
        return this;
    }

    /** Added to the URL of each request; values are credentials. */
    public ServerConfigBuilder urlQueryParams(Map<String, String> urlQueryParams) {
        this.urlQueryParams = urlQueryParams;
        return this;
    }

    public ServerConfigBuilder env(Map<String, String> env) {
        this.env = env;
        return this;
    }

    public ServerConfigBuilder installationName(String installationName) {
        this.installationName = installationName;
        return this;
    }

    public ServerConfigBuilder handshakeTimeoutMs(@Nullable Long handshakeTimeoutMs) {
        this.handshakeTimeoutMs = handshakeTimeoutMs;
        return this;
    }

    public ServerConfigBuilder settings(ServerSettings settings) {
        this.settings = settings;
        return this;
    }

    /** What the server may reach at most, as {@link EgressRule} has it. */
    public ServerConfigBuilder egress(List<String> egress) {
        this.egress = egress;
        return this;
    }

    /**
     * The configuration.
     *
     * @throws dev.perigee.protocol.json.InvalidRecordException when a value is not acceptable
     */
    public ServerConfig build() {
        return new ServerConfig(
                installationName,
                installationId,
                serverSlug,
                owner.teamId(),
                owner.teamSlug(),
                owner.userId(),
                owner.userSlug(),
                transport,
                command,
                args,
                env,
                null,
                null,
                url,
                headers,
                urlQueryParams,
                null,
                handshakeTimeoutMs,
                null,
                settings,
                null,
                null,
                null,
                null,
                null,
                egress,
                null);
    }
}
