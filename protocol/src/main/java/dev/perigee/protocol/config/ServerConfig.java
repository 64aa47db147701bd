package dev.perigee.protocol.config;

import dev.perigee.protocol.json.InvalidRecordException;
import dev.perigee.protocol.json.NumberRange;
import dev.perigee.protocol.json.RawJson;
import dev.perigee.protocol.json.Require;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * One user's MCP server as the backend configures it: the {@code config} of a configure command.
 * Environment, headers and query parameters carry credentials and are never shown by {@link
 * #toString()}.
 *
 * <p>Source: design/contract.md and seeds/process-management.txt, "Process Configuration".
 *
 * @param timeoutMs request timeout in milliseconds, {@link NumberRange#TIMEOUT_MS}, null for the
 *     worker's default
 * @param handshakeTimeoutMs time from spawn to the initialize answer in milliseconds, {@link
 *     NumberRange#TIMEOUT_MS}, null for the worker's default
 * @param secretMetadata passed through untouched
 * @param egress entries of {@link EgressRule} that narrow what the server may reach, null where it
 *     may reach whatever the fleet lets it; an empty list is nothing at all
 * @param status the backend's own; read to refuse what still waits for its user, and never kept
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
        Map<String, String> env,
        @Nullable String runtime,
        @Nullable String language,
        @Nullable String url,
        Map<String, String> headers,
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
    }

    /** How long a request may take, a day at most; null for the worker's default. */
    public @Nullable Duration requestTimeout() {
        return duration(timeoutMs);
    }

    /** How long a start may take, a day at most; null for the worker's default. */
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
