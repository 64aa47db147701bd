package dev.perigee.worker.process;

import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The live processes at one moment, indexed once for all who look for their tree in it. Immutable.
 */
final class ProcessSnapshot {
    private final List<ProcessEntry> entries;
    private final Map<Long, ProcessEntry> byPid = new HashMap<>();
    private final Map<Long, Set<Long>> children = new HashMap<>();
    private final Map<Long, Set<Long>> sessions = new HashMap<>();
    private final Map<String, Set<Long>> owners = new HashMap<>();

    ProcessSnapshot(List<ProcessEntry> entries) {
        this.entries = List.copyOf(entries);
        for (var entry : entries) {
            byPid.put(entry.pid(), entry);
            add(children, entry.stat().parent(), entry);
            add(sessions, entry.stat().session(), entry);
            if (entry.owner() != null) {
                add(owners, entry.owner(), entry);
            }
        }
    }

    private static <K> void add(Map<K, Set<Long>> index, K key, ProcessEntry entry) {
        index.computeIfAbsent(key, _ -> new HashSet<>()).add(entry.pid());
    }

    List<ProcessEntry> entries() {
        return entries;
    }

    /** Null when no such process lives. */
    @Nullable ProcessEntry find(long pid) {
        return byPid.get(pid);
    }

    Set<Long> childrenOf(long pid) {
        return children.getOrDefault(pid, Set.of());
    }

    Set<Long> ofSession(long session) {
        return sessions.getOrDefault(session, Set.of());
    }

    Set<Long> ofOwner(@Nullable String owner) {
        return owner == null ? Set.of() : owners.getOrDefault(owner, Set.of());
    }
}
