package dev.perigee.gateway.partition;

import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * A partition's instances, in the order in which they came, by process and by user: each call looks
 * for those of its user, and a partition may have thousands. Pure.
 */
final class InstanceIndex {
    private record User(String teamId, String userId) {
        static User of(DesiredInstance instance) {
            return new User(instance.config().teamId(), instance.config().userId());
        }
    }

    private final Map<String, DesiredInstance> byProcess = new LinkedHashMap<>();
    private final Map<User, Map<String, DesiredInstance>> byUser = new HashMap<>();

    /** How many each team has; also read by other threads. */
    private final Map<String, Integer> byTeam = new ConcurrentHashMap<>();

    /** Also in place of what there is of the same process. */
    void put(DesiredInstance instance) {
        var before = byProcess.put(instance.processId(), instance);
        if (before != null && !User.of(before).equals(User.of(instance))) {
            removeFromUser(before);
        }
        var ofUser = byUser.computeIfAbsent(User.of(instance), _ -> new LinkedHashMap<>());
        if (ofUser.put(instance.processId(), instance) == null) {
            byTeam.merge(instance.config().teamId(), 1, Integer::sum);
        }
    }

    void remove(String processId) {
        var before = byProcess.remove(processId);
        if (before != null) {
            removeFromUser(before);
        }
    }

    private void removeFromUser(DesiredInstance instance) {
        byTeam.computeIfPresent(
                instance.config().teamId(), (_, count) -> count == 1 ? null : count - 1);
        byUser.computeIfPresent(
                User.of(instance),
                (_, left) -> {
                    left.remove(instance.processId());
                    return left.isEmpty() ? null : left;
                });
    }

    @Nullable DesiredInstance get(String processId) {
        return byProcess.get(processId);
    }

    List<DesiredInstance> all() {
        return List.copyOf(byProcess.values());
    }

    /** How many each team has, kept up; safe to be read by any thread. */
    Map<String, Integer> byTeam() {
        return byTeam;
    }

    List<DesiredInstance> ofUser(String teamId, String userId) {
        return List.copyOf(byUser.getOrDefault(new User(teamId, userId), Map.of()).values());
    }

    List<DesiredInstance> ofTeam(String teamId) {
        return byProcess.values().stream()
                .filter(instance -> instance.config().teamId().equals(teamId))
                .toList();
    }
}
