package dev.perigee.gateway.partition;

import dev.perigee.gateway.partition.StateRecord.Broadcast;
import dev.perigee.gateway.partition.StateRecord.Host;
import dev.perigee.gateway.partition.StateRecord.Installed;
import dev.perigee.gateway.partition.StateRecord.Remembered;
import dev.perigee.gateway.quarantine.Suspicion;
import dev.perigee.gateway.quarantine.UserSuspicion;
import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.json.RawJson;
import java.time.Instant;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Materialized state of one partition: filled by replaying its records of the state topic, updated
 * with what was committed. Pure, for the owner's thread.
 */
final class PartitionState {
    private final InstanceIndex instances = new InstanceIndex();
    private final Map<String, RawJson> runtime = new HashMap<>();
    private final Map<String, Remembered> commands = new LinkedHashMap<>();
    private final Map<String, Broadcast> broadcasts = new HashMap<>();
    private final Map<String, Suspicion> suspicions = new HashMap<>();
    private final Map<String, UserSuspicion> suspectUsers = new HashMap<>();
    private final Set<String> outdated = new LinkedHashSet<>();
    private @Nullable Host host;

    /**
     * Takes over one record.
     *
     * @param name the record's key
     * @param value as it was before it was encrypted, null for a tombstone
     */
    void replay(String name, byte @Nullable [] value, long offset) {
        if (name.startsWith(StateRecord.INSTANCE_PREFIX)) {
            var processId = name.substring(StateRecord.INSTANCE_PREFIX.length());
            if (value == null) {
                instances.remove(processId);
            } else {
                install(DesiredInstance.of(Json.read(value, Installed.class), offset));
            }
        } else if (name.startsWith(StateRecord.RUNTIME_PREFIX)) {
            var processId = name.substring(StateRecord.RUNTIME_PREFIX.length());
            remember(processId, value == null ? null : RawJson.ofBytes(value));
        } else if (name.startsWith(StateRecord.COMMAND_PREFIX)) {
            var commandId = name.substring(StateRecord.COMMAND_PREFIX.length());
            if (value == null) {
                commands.remove(commandId);
            } else {
                remember(commandId, Json.read(value, Remembered.class));
            }
        } else if (name.startsWith(StateRecord.BROADCAST_PREFIX)) {
            var commandId = name.substring(StateRecord.BROADCAST_PREFIX.length());
            if (value == null) {
                broadcasts.remove(commandId);
            } else {
                broadcasts.put(commandId, Json.read(value, Broadcast.class));
            }
        } else if (name.startsWith(StateRecord.SUSPICION_PREFIX)) {
            var processId = name.substring(StateRecord.SUSPICION_PREFIX.length());
            suspect(processId, value == null ? Suspicion.NONE : Json.read(value, Suspicion.class));
        } else if (name.startsWith(StateRecord.SUSPECT_USER_PREFIX)) {
            suspectUser(
                    name.substring(StateRecord.SUSPECT_USER_PREFIX.length()),
                    value == null ? UserSuspicion.NONE : Json.read(value, UserSuspicion.class));
        } else if (name.equals(StateRecord.HOST_KEY)) {
            host = value == null ? null : Json.read(value, Host.class);
        }
    }

    /** Names of the records that are kept in another way than they would be written now. */
    Set<String> outdated() {
        return outdated;
    }

    void install(DesiredInstance instance) {
        instances.put(instance);
    }

    void remove(String processId) {
        instances.remove(processId);
        runtime.remove(processId);
        suspicions.remove(processId);
    }

    @Nullable DesiredInstance instance(String processId) {
        return instances.get(processId);
    }

    Collection<DesiredInstance> instances() {
        return instances.all();
    }

    /** A user's instances, normally one per installation; those of all users for null. */
    List<DesiredInstance> instancesOf(String teamId, @Nullable String userId) {
        return userId == null ? instances.ofTeam(teamId) : instances.ofUser(teamId, userId);
    }

    /** How many instances each team has, kept up; safe to be read by any thread. */
    Map<String, Integer> byTeam() {
        return instances.byTeam();
    }

    /** What the worker wants to be remembered of an instance. */
    @Nullable RawJson runtime(String processId) {
        return runtime.get(processId);
    }

    void remember(String processId, @Nullable RawJson durable) {
        if (durable == null) {
            runtime.remove(processId);
        } else {
            runtime.put(processId, durable);
        }
    }

    /** What counts against instances since workers died, by process id. */
    Map<String, Suspicion> suspicions() {
        return Collections.unmodifiableMap(suspicions);
    }

    /** What counts against an instance, null when nothing does. */
    @Nullable Suspicion suspicion(String processId) {
        return suspicions.get(processId);
    }

    void suspect(String processId, Suspicion suspicion) {
        if (suspicion.isNone()) {
            suspicions.remove(processId);
        } else {
            suspicions.put(processId, suspicion);
        }
    }

    /** What users answer for since workers died, by the user as records are keyed. */
    Map<String, UserSuspicion> suspectUsers() {
        return Collections.unmodifiableMap(suspectUsers);
    }

    void suspectUser(String user, UserSuspicion suspicion) {
        if (suspicion.isNone()) {
            suspectUsers.remove(user);
        } else {
            suspectUsers.put(user, suspicion);
        }
    }

    @Nullable Remembered command(String commandId) {
        return commands.get(commandId);
    }

    void remember(String commandId, Remembered command) {
        commands.remove(commandId);
        commands.put(commandId, command);
    }

    /** Forgets commands that ended before this moment, and names them. */
    List<String> forgetCommandsBefore(Instant moment) {
        var old =
                commands.entrySet().stream()
                        .filter(
                                entry ->
                                        entry.getValue().outcome() != null
                                                && entry.getValue().at().isBefore(moment))
                        .map(Map.Entry::getKey)
                        .toList();
        old.forEach(commands::remove);
        return old;
    }

    /** A command for every user that has not ended, null when there is none of that id. */
    @Nullable Broadcast broadcast(String commandId) {
        return broadcasts.get(commandId);
    }

    void open(Broadcast broadcast) {
        broadcasts.put(broadcast.command().id(), broadcast);
    }

    void close(Broadcast broadcast) {
        broadcasts.remove(broadcast.command().id());
    }

    @Nullable Host host() {
        return host;
    }

    void host(Host newHost) {
        host = newHost;
    }
}
