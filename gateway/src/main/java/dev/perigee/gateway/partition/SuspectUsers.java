package dev.perigee.gateway.partition;

import dev.perigee.gateway.quarantine.QuarantineRules;
import dev.perigee.gateway.quarantine.Suspicion;
import dev.perigee.gateway.quarantine.UserSuspicion;
import dev.perigee.protocol.config.ServerConfig;
import dev.perigee.protocol.topic.RecordKey;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.jspecify.annotations.Nullable;

/**
 * Suspicions against one partition's users of ending workers: all installations of a user are in
 * the same partition. Kept in the state topic, beside those against instances. For the owner's
 * thread.
 */
final class SuspectUsers {
    private final PartitionContext context;
    private final QuarantineRules rules;

    SuspectUsers(PartitionContext context) {
        this.context = context;
        this.rules = context.services().quarantine();
    }

    /** What the user of a step's instance answers for; null for nothing. */
    @Nullable UserSuspicion of(CommandPlan.Step step) {
        var write = step.write();
        var config =
                write == null
                        ? Objects.requireNonNull(step.before(), "written or there before").config()
                        : write.config();
        return context.state().suspectUsers().get(userOf(config));
    }

    /** What changes for the user's other instances when this one is convicted. */
    Map<String, Suspicion> siblings(String convicted) {
        var instance = context.state().instance(convicted);
        if (instance == null) {
            return Map.of();
        }
        var config = instance.config();
        var siblings =
                context.state().instancesOf(config.teamId(), config.userId()).stream()
                        .map(DesiredInstance::processId)
                        .filter(id -> !id.equals(convicted))
                        .collect(Collectors.toSet());
        return rules.afterSibling(
                context.state().suspicions(),
                siblings,
                context.state().suspectUsers().get(userOf(config)));
    }

    /**
     * A worker died.
     *
     * @param changes for what single instances answer
     * @param ran what ran on it
     * @param convicted the instance that is held since; null for none
     * @return what is to be written
     */
    List<ProducerRecord<byte[], byte[]>> lost(
            Map<String, Suspicion> changes,
            Set<String> ran,
            @Nullable String convicted,
            Instant now) {
        var known = context.state().suspectUsers();
        if (convicted == null) {
            return change(rules.users().afterDeath(known, byUser(changes), now));
        }
        var user = user(convicted);
        var held = changes.get(convicted);
        if (user == null || held == null) {
            return List.of();
        }
        var users =
                ran.stream().map(this::user).filter(Objects::nonNull).collect(Collectors.toSet());
        return change(rules.users().afterConviction(known, user, held, users, now));
    }

    /** Takes over what changes, and returns what is to be written. */
    List<ProducerRecord<byte[], byte[]>> change(Map<String, UserSuspicion> changes) {
        changes.forEach(context.state()::suspectUser);
        return changes.entrySet().stream()
                .map(entry -> context.stateTopic().suspectUser(entry.getKey(), entry.getValue()))
                .toList();
    }

    private Map<String, List<Suspicion>> byUser(Map<String, Suspicion> changes) {
        var byUser = new HashMap<String, List<Suspicion>>();
        changes.forEach(
                (processId, suspicion) -> {
                    var user = user(processId);
                    if (user != null) {
                        byUser.computeIfAbsent(user, _ -> new ArrayList<>()).add(suspicion);
                    }
                });
        return byUser;
    }

    private @Nullable String user(String processId) {
        var instance = context.state().instance(processId);
        return instance == null ? null : userOf(instance.config());
    }

    private static String userOf(ServerConfig config) {
        return new RecordKey(config.teamId(), config.userId()).toString();
    }
}
