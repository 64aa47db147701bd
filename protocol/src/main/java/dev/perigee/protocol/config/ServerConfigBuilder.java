package dev.perigee.protocol.config;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Builder of an installation's configuration, for backends. What is not set is absent, as in a
 * command that does not name it. Values are checked by {@link #build()}. For one thread.
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
    private @Nullable OAuthConfig oauth;

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
     * A program's configuration; the values are those of {@link ServerConfig}.
     *
     * @param transport {@code stdio} or {@code command}
     * @param command required for these transports
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
     * The configuration of a server elsewhere; the values are those of {@link ServerConfig}.
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

    /**
     * Headers of each request to the server, empty by default; values are credentials or {@link
     * SecretReference#to}.
     */
    public ServerConfigBuilder headers(Map<String, String> headers) {
        this.headers = headers;
        return this;
    }

    /**
     * Parameters of each request's URL, empty by default; values are credentials or {@link
     * SecretReference#to}.
     */
    public ServerConfigBuilder urlQueryParams(Map<String, String> urlQueryParams) {
        this.urlQueryParams = urlQueryParams;
        return this;
    }

    /**
     * Environment of the program, empty by default; values are credentials or {@link
     * SecretReference#to}.
     */
    public ServerConfigBuilder env(Map<String, String> env) {
        this.env = env;
        return this;
    }

    /** Name for people and events; none by default. */
    public ServerConfigBuilder installationName(String installationName) {
        this.installationName = installationName;
        return this;
    }

    /**
     * Time from spawn to the answer to initialize, in milliseconds, 1 to a day; null, the default,
     * for the worker's {@code mcp.handshake-timeout}.
     */
    public ServerConfigBuilder handshakeTimeoutMs(@Nullable Long handshakeTimeoutMs) {
        this.handshakeTimeoutMs = handshakeTimeoutMs;
        return this;
    }

    /** Switches of the installation; their defaults where it is not called. */
    public ServerConfigBuilder settings(ServerSettings settings) {
        this.settings = settings;
        return this;
    }

    /**
     * Destinations that the server may reach, of what the fleet lets it: at most 256 of the form
     * {@link EgressRule#FORM}. Not called: all of them; an empty list: none.
     */
    public ServerConfigBuilder egress(List<String> egress) {
        this.egress = egress;
        return this;
    }

    /** OAuth of a server over HTTP; not called: its credentials are in headers or parameters. */
    public ServerConfigBuilder oauth(@Nullable OAuthConfig oauth) {
        this.oauth = oauth;
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
                oauth,
                null);
    }
}
