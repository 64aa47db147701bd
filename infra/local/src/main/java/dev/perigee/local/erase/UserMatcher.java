package dev.perigee.local.erase;

import dev.perigee.protocol.config.ProcessIds;
import dev.perigee.protocol.json.InvalidRecordException;
import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.json.Require;
import dev.perigee.protocol.topic.Topic;
import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * Decides which records belong to a user: by the key, or by the fields that the contract has for
 * the owner. What a server, a tool or another user wrote into a text or an argument decides
 * nothing, else anybody could have records counted as a colleague's. Results of commands and
 * records of the state topic name an instance or a command only: those are learned from other
 * records, which are to be shown first. For one thread; holds {@link #MOST} ids at most.
 */
public final class UserMatcher {
    /** Ids of processes, commands or teams that one user can have here; 100 bytes each. */
    static final int MOST = 100_000;

    /** Begins the key of a state record that goes by itself when workers are not suspected. */
    static final String SUSPECT_USER = "suspect-user/";

    private static final List<String> OF_INSTANCES = List.of("instance/", "runtime/", "suspicion/");

    private final Set<String> wantedTeams;
    private final String user;
    private final byte[] userBytes;
    private final Set<String> teams = new TreeSet<>();
    private final Set<String> processes = new HashSet<>();
    private final Set<String> commands = new HashSet<>();

    /** More of the user's ids than can be held. */
    public static final class TooManyException extends RuntimeException {
        private static final long serialVersionUID = 1L;

        TooManyException() {
            super("More than " + MOST + " ids are the user's.");
        }
    }

    /**
     * A matcher that has learned nothing.
     *
     * @param wantedTeams the teams to look in; all when it is empty
     */
    public UserMatcher(Set<String> wantedTeams, String user) {
        this.wantedTeams = Set.copyOf(wantedTeams);
        this.user = user;
        this.userBytes = user.getBytes(StandardCharsets.UTF_8);
    }

    /** Teams in which something of the user was found, in order. */
    public Set<String> teams() {
        return Collections.unmodifiableSet(teams);
    }

    /**
     * Whether a record holds the user. Not so a tombstone, which says that something is gone.
     *
     * @throws TooManyException when there is too much to remember
     */
    boolean holds(Topic topic, ConsumerRecord<byte[], byte[]> record) {
        boolean byKey = isByKey(topic, keyOf(record));
        var value = record.value();
        if (value == null) {
            return byKey && topic == Topic.DEAD_LETTERS;
        }
        // Also where the key says so: the value has ids to be learned.
        return isByValue(topic, value, byKey) || byKey;
    }

    static String keyOf(ConsumerRecord<byte[], byte[]> record) {
        return record.key() == null ? "" : new String(record.key(), StandardCharsets.UTF_8);
    }

    private boolean isByKey(Topic topic, String key) {
        return switch (topic) {
            case COMMANDS, TOOL_REQUESTS, DEAD_LETTERS -> isUsers(key);
            case STATE ->
                    key.startsWith(SUSPECT_USER)
                            ? isUsers(key.substring(SUSPECT_USER.length()))
                            : isOfInstance(key);
            case TOOL_RESULTS,
                    COMMAND_RESULTS,
                    STATUS,
                    LIFECYCLE,
                    LOGS,
                    REQUEST_LOGS,
                    CALL_EVENTS,
                    SERVER_EVENTS,
                    TOOLS,
                    CATALOG,
                    USAGE,
                    AUDIT,
                    HEARTBEATS ->
                    false;
        };
    }

    /** As {@code team/user}; a user whose id only begins or ends so is another. */
    private boolean isUsers(String key) {
        int slash = key.indexOf('/');
        return slash > 0
                && key.substring(slash + 1).equals(user)
                && isFound(key.substring(0, slash));
    }

    private boolean isOfInstance(String key) {
        return OF_INSTANCES.stream()
                .anyMatch(
                        prefix ->
                                key.startsWith(prefix)
                                        && processes.contains(key.substring(prefix.length())));
    }

    private boolean isFound(String team) {
        if (!wantedTeams.isEmpty() && !wantedTeams.contains(team)) {
            return false;
        }
        try {
            learn(teams, Require.id(team, "team_id"));
        } catch (InvalidRecordException e) {
            return true; // Of a dead letter: nothing can be installed in such a team.
        }
        return true;
    }

    private boolean isByValue(Topic topic, byte[] value, boolean byKey) {
        if (topic != Topic.COMMAND_RESULTS && !byKey && !mayName(value)) {
            return false;
        }
        JsonNode root;
        try {
            root = Json.tree(value);
        } catch (InvalidRecordException e) {
            return false; // Encrypted, or no record of the contract: the key alone decides.
        }
        return switch (topic) {
            case COMMANDS -> isOfCommand(root, byKey);
            case DEAD_LETTERS -> {
                boolean ofCommand = isOfCommand(root, byKey);
                yield isOwner(root) || ofCommand;
            }
            case COMMAND_RESULTS -> isOfResult(root);
            case HEARTBEATS -> isInHeartbeat(root);
            case STATE -> isOwner(root.path("config"));
            case TOOL_REQUESTS,
                    TOOL_RESULTS,
                    STATUS,
                    LIFECYCLE,
                    LOGS,
                    REQUEST_LOGS,
                    CALL_EVENTS,
                    SERVER_EVENTS,
                    TOOLS,
                    CATALOG,
                    USAGE,
                    AUDIT ->
                    isOwner(root);
        };
    }

    /** Whether the id can be in it at all; what is escaped is read. Most records end here. */
    private boolean mayName(byte[] value) {
        for (int at = 0; at < value.length; at++) {
            if (value[at] == '\\' || isUserAt(value, at)) {
                return true;
            }
        }
        return false;
    }

    private boolean isUserAt(byte[] value, int at) {
        if (value.length - at < userBytes.length) {
            return false;
        }
        for (int i = 0; i < userBytes.length; i++) {
            if (value[at + i] != userBytes[i]) {
                return false;
            }
        }
        return true;
    }

    private boolean isOfCommand(JsonNode root, boolean byKey) {
        var payload = root.path("payload");
        boolean ofConfig = isOwner(payload.path("config"));
        boolean named = isOwner(payload) || ofConfig;
        if (named || byKey) {
            learn(commands, text(root, "id"));
        }
        return named;
    }

    private boolean isOwner(JsonNode fields) {
        if (!user.equals(text(fields, "user_id"))) {
            return false;
        }
        var team = text(fields, "team_id");
        if (team == null ? !wantedTeams.isEmpty() : !isFound(team)) {
            return false;
        }
        learn(processes, text(fields, "process_id"));
        var server = text(fields, "server_slug");
        var teamSlug = text(fields, "team_slug");
        var userSlug = text(fields, "user_slug");
        var installation = text(fields, "installation_id");
        if (server != null && teamSlug != null && userSlug != null && installation != null) {
            learn(processes, ProcessIds.of(server, teamSlug, userSlug, installation));
        }
        return true;
    }

    private boolean isOfResult(JsonNode root) {
        if (isKnown(commands, text(root, "command_id"))
                || isKnown(processes, text(root, "process_id"))) {
            return true;
        }
        for (var instance : root.path("result").path("instances")) {
            if (isKnown(processes, text(instance, "process_id"))) {
                return true;
            }
        }
        return false;
    }

    private boolean isInHeartbeat(JsonNode root) {
        boolean named = false;
        for (var team : root.path("processes_by_team").properties()) {
            for (var server : team.getValue()) {
                if (user.equals(text(server, "user_id")) && isFound(team.getKey())) {
                    learn(processes, text(server, "process_id"));
                    named = true;
                }
            }
        }
        return named;
    }

    private static boolean isKnown(Set<String> ids, @Nullable String id) {
        return id != null && ids.contains(id);
    }

    private static void learn(Set<String> ids, @Nullable String id) {
        if (id != null && ids.add(id) && ids.size() > MOST) {
            throw new TooManyException();
        }
    }

    private static @Nullable String text(JsonNode node, String field) {
        var value = node.path(field);
        return value.isString() ? value.asString() : null;
    }
}
