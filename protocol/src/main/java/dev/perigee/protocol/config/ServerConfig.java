package dev.perigee.protocol.config;

import dev.perigee.protocol.json.InvalidRecordException;
import dev.perigee.protocol.json.NumberRange;
import dev.perigee.protocol.json.RawJson;
import dev.perigee.protocol.json.Require;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.annotation.JsonDeserialize;
import tools.jackson.databind.annotation.JsonSerialize;

/**
 * One user's MCP server as the backend configures it: the {@code config} of a configure command.
 * Environment, headers and query parameters carry credentials, or {@link SecretReference
 * references} to them, and are never shown by {@link #toString()}.
 *
 * <p>A component that is not acceptable makes the constructor throw {@link InvalidRecordException}
 * with a message that names the field and never its value; a command with such a configuration is a
 * dead letter with the reason {@code invalid}, and answered {@code rejected} where its id can be
 * read. An id or slug is what {@link Require#id} accepts: 1 to {@value Require#MAX_ID_LENGTH}
 * characters, not blank, not {@code *}, without slash or control character. Where a list or map is
 * absent it is empty, but for {@code egress}; none of their entries may be null.
 *
 * @param installationName for people and for events; any text, not used to tell instances apart;
 *     null where the backend gives none
 * @param installationId id of the installation; required
 * @param serverSlug what {@code tool_path} begins with; a required slug without {@code :} and
 *     {@code |}, which end it there
 * @param teamId id of the team that has installed the server; required
 * @param teamSlug slug of that team, part of the {@link #processId()}; required
 * @param userId id of the user whose instance this is; required
 * @param userSlug slug of that user, part of the {@link #processId()}; required
 * @param transportType how the server is reached; required, an unknown one is refused
 * @param command the program without arguments, never passed to a shell; required and not blank for
 *     {@code stdio} and {@code command}, ignored for the others. One that {@code
 *     process.allowed-commands} does not allow is rejected by the worker
 * @param args arguments of the program, passed as they are and in this order. One with a NUL or a
 *     newline is rejected by the worker
 * @param env variables added to the program's environment, where they replace those of the same
 *     name; a jail drops those that would load code into it (NODE_OPTIONS and the like). A name
 *     that is empty or has {@code =} or a NUL, or a value with a NUL, is rejected by the worker;
 *     references excepted, here as in headers and query parameters
 * @param runtime {@code node} or {@code python}, which decides home and cache of the process; any
 *     other text counts as {@code node}; null to go by the command
 * @param language informational, such as {@code typescript}; not used
 * @param url address of the server; required and not blank for {@code http} and {@code sse},
 *     ignored for the others. One that is no HTTP URL makes the server's start fail
 * @param headers sent with every HTTP request to the server, but for those that the protocol sets
 * @param urlQueryParams added to the URL of every HTTP request to the server, but for those it has
 * @param timeoutMs how long a request may take, in milliseconds, {@link NumberRange#TIMEOUT_MS};
 *     shortens the request's own deadline, never extends it; null for no limit of the
 *     installation's. Less than the range is refused here, more by {@link #requireLimits()}
 * @param handshakeTimeoutMs time from spawn to the answer to initialize, in milliseconds, {@link
 *     NumberRange#TIMEOUT_MS}, refused likewise; null for the worker's {@code
 *     mcp.handshake-timeout}
 * @param enabled false to keep the instance known but stopped; null is true
 * @param settings switches of the installation; null for their defaults
 * @param gitCommitSha with the source {@code github}, the commit that Git references among the
 *     arguments are pinned to when the process starts; null or blank leaves them as they are
 * @param repositoryUrl restricts that to references to this repository, where one of the arguments
 *     is such; null for all
 * @param gitBranch what arguments that name a repository only mean where there is no commit
 * @param source {@code github} for a deployment from GitHub; any other text, or null, has no effect
 * @param secretMetadata the backend's own notes on its secrets; passed through, not interpreted
 * @param egress entries of {@link EgressRule} that narrow what the server may reach, 256 at most,
 *     each of the form {@link EgressRule#FORM}; null where it may reach whatever the fleet lets it;
 *     an empty list is nothing at all
 * @param oauth OAuth of a server over HTTP, ignored for others; null where its credentials are in
 *     headers or parameters
 * @param status the backend's own: {@code awaiting_user_config} is refused, anything else ignored;
 *     always null afterwards
 */
public record ServerConfig(
        @Nullable String installationName,
        String installationId,
        String serverSlug,
        String teamId,
        String teamSlug,
        String userId,
        String userSlug,
        TransportType transportType,
        @Nullable String command,
        List<String> args,
        @JsonSerialize(contentUsing = SecretReferenceFormat.Writer.class)
                @JsonDeserialize(contentUsing = SecretReferenceFormat.Reader.class)
                Map<String, String> env,
        @Nullable String runtime,
        @Nullable String language,
        @Nullable String url,
        @JsonSerialize(contentUsing = SecretReferenceFormat.Writer.class)
                @JsonDeserialize(contentUsing = SecretReferenceFormat.Reader.class)
                Map<String, String> headers,
        @JsonSerialize(contentUsing = SecretReferenceFormat.Writer.class)
                @JsonDeserialize(contentUsing = SecretReferenceFormat.Reader.class)
                Map<String, String> urlQueryParams,
        @Nullable Long timeoutMs,
        @Nullable Long handshakeTimeoutMs,
        @Nullable Boolean enabled,
        @Nullable ServerSettings settings,
        @Nullable String gitCommitSha,
        @Nullable String repositoryUrl,
        @Nullable String gitBranch,
        @Nullable String source,
        @Nullable RawJson secretMetadata,
        @Nullable List<String> egress,
        @Nullable OAuthConfig oauth,
        @Nullable String status) {

    private static final String AWAITING = "awaiting_user_config";
    private static final String TIMEOUT = "config.timeout_ms";
    private static final String EGRESS = "config.egress";
    private static final int MAX_EGRESS = 256;
    private static final String HANDSHAKE_TIMEOUT = "config.handshake_timeout_ms";

    @SuppressWarnings("NullAway") // Jackson passes null for what the record did not carry.
    public ServerConfig {
        Require.id(installationId, "config.installation_id");
        Require.id(serverSlug, "config.server_slug");
        if (serverSlug.indexOf(':') >= 0 || serverSlug.indexOf('|') >= 0) {
            throw InvalidRecordException.invalid(
                    "field config.server_slug must not contain ':' or '|', which end it in a"
                            + " tool_path");
        }
        Require.id(teamId, "config.team_id");
        Require.id(teamSlug, "config.team_slug");
        Require.id(userId, "config.user_id");
        Require.id(userSlug, "config.user_slug");
        Require.present(transportType, "config.transport_type");
        if (transportType.isProcess()) {
            Require.text(command, "config.command");
        } else {
            Require.text(url, "config.url");
        }
        if (AWAITING.equals(status)) {
            throw InvalidRecordException.invalid(
                    "field config.status is awaiting_user_config: a configuration is sent when its"
                            + " user has completed it");
        }
        status = null;
        NumberRange.TIMEOUT_MS.requireLeast(timeoutMs, TIMEOUT);
        NumberRange.TIMEOUT_MS.requireLeast(handshakeTimeoutMs, HANDSHAKE_TIMEOUT);
        args = args == null ? List.of() : copy(args, "config.args");
        env = env == null ? Map.of() : copy(env, "config.env");
        headers = headers == null ? Map.of() : copy(headers, "config.headers");
        urlQueryParams =
                urlQueryParams == null ? Map.of() : copy(urlQueryParams, "config.url_query_params");
        egress = egress == null ? null : destinations(copy(egress, EGRESS));
    }

    /**
     * Checks what a command may configure, and a configuration that was accepted by a former
     * version may exceed.
     *
     * @throws InvalidRecordException naming the field and its limits
     */
    public void requireLimits() {
        NumberRange.TIMEOUT_MS.require(timeoutMs, TIMEOUT);
        NumberRange.TIMEOUT_MS.require(handshakeTimeoutMs, HANDSHAKE_TIMEOUT);
        if (referring().count() > SecretReference.MOST) {
            throw InvalidRecordException.invalid(
                    "field config must not have more than "
                            + SecretReference.MOST
                            + " references to secrets");
        }
    }

    /** Names of the secrets that environment, headers and query parameters refer to, sorted. */
    public Set<String> references() {
        return referring().collect(Collectors.toCollection(TreeSet::new));
    }

    /** Whether any value is a reference. */
    public boolean refers() {
        return referring().findAny().isPresent();
    }

    /** The same names, each as often as a value refers to it: one secret may be used many times. */
    public Stream<String> referring() {
        return Stream.of(env, headers, urlQueryParams)
                .flatMap(values -> values.values().stream())
                .map(SecretReference::in)
                .filter(Objects::nonNull)
                .map(SecretReference::name);
    }

    /**
     * The configuration with plain values in place of its references: to start a server with, never
     * to be kept, compared or sent.
     *
     * @param secrets by name; one for each of {@link #references()}, others are not used
     * @throws IllegalArgumentException when one is missing
     */
    public ServerConfig resolved(Map<String, String> secrets) {
        return new ServerConfig(
                installationName,
                installationId,
                serverSlug,
                teamId,
                teamSlug,
                userId,
                userSlug,
                transportType,
                command,
                args,
                resolved(env, secrets),
                runtime,
                language,
                url,
                resolved(headers, secrets),
                resolved(urlQueryParams, secrets),
                timeoutMs,
                handshakeTimeoutMs,
                enabled,
                settings,
                gitCommitSha,
                repositoryUrl,
                gitBranch,
                source,
                secretMetadata,
                egress,
                oauth,
                status);
    }

    private static Map<String, String> resolved(
            Map<String, String> values, Map<String, String> secrets) {
        var plain = new TreeMap<>(values);
        plain.replaceAll(
                (_, value) -> {
                    var reference = SecretReference.in(value);
                    var secret = reference == null ? value : secrets.get(reference.name());
                    if (secret == null) {
                        throw new IllegalArgumentException("a reference without its secret");
                    }
                    return secret;
                });
        return plain;
    }

    /** Limit of one request, a day at most; null where only its own deadline counts. */
    public @Nullable Duration requestTimeout() {
        return duration(timeoutMs);
    }

    /**
     * Limit from spawn to the answer to initialize, a day at most; null for the worker's {@code
     * mcp.handshake-timeout}.
     */
    public @Nullable Duration handshakeTimeout() {
        return duration(handshakeTimeoutMs);
    }

    private static @Nullable Duration duration(@Nullable Long millis) {
        return millis == null ? null : Duration.ofMillis(NumberRange.TIMEOUT_MS.within(millis));
    }

    /** What the server may reach of what the fleet lets it, null for all of that. */
    public @Nullable List<EgressRule> egressRules() {
        return egress == null ? null : egress.stream().map(EgressRule::parse).toList();
    }

    /** The identity of this user's instance of this installation. */
    public String processId() {
        return ProcessIds.of(serverSlug, teamSlug, userSlug, installationId);
    }

    /** True unless the backend switched the installation off. */
    public boolean runs() {
        return enabled == null || enabled;
    }

    /** True unless the installation's settings switch request logs off. */
    public boolean logsRequests() {
        return settings == null || settings.logsRequests();
    }

    /** Whether its request logs have values rather than shapes; null for the worker's default. */
    public @Nullable Boolean requestLogValues() {
        return settings == null ? null : settings.requestLogValues();
    }

    /** Identity, transport and program only. */
    @Override
    public String toString() {
        return "ServerConfig[" + processId() + ", " + transportType + ", command=" + command + "]";
    }

    private static List<String> destinations(List<String> entries) {
        if (entries.size() > MAX_EGRESS) {
            throw InvalidRecordException.invalid(
                    "field " + EGRESS + " must have at most " + MAX_EGRESS + " entries");
        }
        for (int i = 0; i < entries.size(); i++) {
            try {
                EgressRule.parse(entries.get(i));
            } catch (IllegalArgumentException e) {
                throw InvalidRecordException.invalid(
                        "field %s[%d]: %s".formatted(EGRESS, i, e.getMessage()));
            }
        }
        return entries;
    }

    private static List<String> copy(List<String> values, String field) {
        values.forEach(value -> Require.present(value, field + "[]"));
        return List.copyOf(values);
    }

    private static Map<String, String> copy(Map<String, String> values, String field) {
        values.forEach((name, value) -> Require.present(value, field + "." + name));
        return Collections.unmodifiableMap(new TreeMap<>(values));
    }
}
