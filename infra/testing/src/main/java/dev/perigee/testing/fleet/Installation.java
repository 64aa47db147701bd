package dev.perigee.testing.fleet;

import dev.perigee.testing.Fixtures;
import dev.perigee.testing.NpmServers;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/**
 * One user's MCP server as a backend would describe it. The slugs differ from the ids and all
 * contain hyphens, so that what mixes them up is noticed.
 *
 * @param command empty for a server that is reached over HTTP
 * @param more further fields of the configuration
 */
public record Installation(
        String serverSlug,
        String installationId,
        String teamId,
        String userId,
        String command,
        List<String> args,
        Map<String, String> env,
        ObjectNode more) {

    private static final AtomicInteger COUNTER = new AtomicInteger();

    /** Fixture F with start flags, for a user of its own in a team of its own. */
    public static Installation fixture(String... flags) {
        return of("f-server", Fixtures.NODE, Fixtures.args(flags));
    }

    /** A reference server from npm. */
    public static Installation npm(String server, String... args) {
        var all = new ArrayList<>(List.of(NpmServers.installed().entry(server).toString()));
        all.addAll(List.of(args));
        return of(server, Fixtures.NODE, all);
    }

    /** Any program. */
    public static Installation of(String slug, String command, List<String> args) {
        int number = COUNTER.incrementAndGet();
        return new Installation(
                slug,
                "inst-" + number,
                "team-" + number,
                "user-" + number,
                command,
                List.copyOf(args),
                Map.of(),
                JsonNodeFactory.instance.objectNode());
    }

    /**
     * A server that is reached over HTTP, for a user of its own in a team of its own.
     *
     * @param transport {@code http} or {@code sse}
     */
    public static Installation elsewhere(String transport, String url) {
        return of("h-server", "", List.of()).with("transport_type", transport).with("url", url);
    }

    /** The same installation of another user of the team. */
    public Installation ofUser(String user) {
        return new Installation(serverSlug, installationId, teamId, user, command, args, env, more);
    }

    /** The same user's other server. */
    public Installation as(String slug, String id) {
        return new Installation(slug, id, teamId, userId, command, args, env, more);
    }

    public Installation withArgs(List<String> other) {
        return new Installation(
                serverSlug, installationId, teamId, userId, command, other, env, more);
    }

    public Installation withEnv(String name, String value) {
        var with = new TreeMap<>(env);
        with.put(name, value);
        return new Installation(
                serverSlug, installationId, teamId, userId, command, args, Map.copyOf(with), more);
    }

    /** With a further field of the configuration. */
    public Installation with(String field, long value) {
        return with(more.deepCopy().put(field, value));
    }

    /** With a further or another field of the configuration. */
    public Installation with(String field, String value) {
        return with(more.deepCopy().put(field, value));
    }

    /** With these fields of its OAuth, and no others. */
    public Installation withOAuth(Map<String, String> oauth) {
        var fields = more.deepCopy();
        oauth.forEach(fields.putObject("oauth")::put);
        return with(fields);
    }

    /** With a further or another header of its requests. */
    public Installation withHeader(String name, String value) {
        var fields = more.deepCopy();
        fields.withObjectProperty("headers").put(name, value);
        return with(fields);
    }

    /**
     * With a secret by reference, in place of all plain values there.
     *
     * @param place {@code env}, {@code headers} or {@code url_query_params}
     */
    public Installation withReference(String place, String name, String secret) {
        var fields = more.deepCopy();
        fields.withObjectProperty(place).putObject(name).put("ref", secret);
        return with(fields);
    }

    /** With a further or another query parameter of its requests. */
    public Installation withQueryParameter(String name, String value) {
        var fields = more.deepCopy();
        fields.withObjectProperty("url_query_params").put(name, value);
        return with(fields);
    }

    private Installation with(ObjectNode fields) {
        return new Installation(
                serverSlug, installationId, teamId, userId, command, args, env, fields);
    }

    /** Key of its commands and requests. */
    public String key() {
        return teamId + "/" + userId;
    }

    public String processId() {
        return serverSlug + "-" + slug(teamId) + "-" + slug(userId) + "-" + installationId;
    }

    public String toolPath(String tool) {
        return serverSlug + ":" + tool;
    }

    private static String slug(String id) {
        return "the-" + id;
    }

    /** The {@code config} of a configure command. */
    public ObjectNode config() {
        var config =
                JsonNodeFactory.instance
                        .objectNode()
                        .put("installation_name", processId())
                        .put("installation_id", installationId)
                        .put("server_slug", serverSlug)
                        .put("team_id", teamId)
                        .put("team_slug", slug(teamId))
                        .put("user_id", userId)
                        .put("user_slug", slug(userId));
        if (!command.isEmpty()) {
            config.put("transport_type", "stdio").put("command", command).put("runtime", "node");
            args.forEach(config.putArray("args")::add);
            env.forEach(config.putObject("env")::put);
        }
        config.setAll(more);
        return config;
    }
}
