package dev.perigee.local.cli;

import dev.perigee.protocol.event.EventBody.Usage;
import dev.perigee.protocol.event.EventOrigin;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Sums of records of usage, each once. Records of one session of an instance come in the order of
 * their numbers, so that a repeat is known by the highest one: of each session one number is kept.
 * For one thread.
 */
final class UsageReport {
    private static final double GIBIBYTE_HOURS = 3600.0 * (1L << 30);
    private static final double HOUR_MS = 3.6e6;

    private final Grouping by;
    private final Map<Group, Row> rows =
            new TreeMap<>(
                    Comparator.comparing(Group::team)
                            .thenComparing(Group::user)
                            .thenComparing(Group::server));
    private final Map<String, Long> newest = new HashMap<>();

    UsageReport(Grouping by) {
        this.by = by;
    }

    /** What is summed up in one row. */
    enum Grouping {
        /** All of a team. */
        TEAM,
        /** All of a user of a team. */
        USER,
        /** All that a user of a team has of a server. */
        SERVER;

        /** As users write it. */
        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT);
        }

        private Group of(EventOrigin origin) {
            return new Group(
                    origin.teamId(),
                    this == TEAM ? "" : origin.userId(),
                    this == SERVER ? origin.serverSlug() : "");
        }
    }

    /** Whose a row is; empty is any. */
    private record Group(String team, String user, String server) {}

    /** A row of sums, as JSON shows it. */
    record Row(
            String teamId,
            @Nullable String userId,
            @Nullable String serverSlug,
            long calls,
            long errors,
            long requestBytes,
            long responseBytes,
            long awakeMs,
            long cpuMs,
            long memoryByteSeconds) {

        private static Row of(Group group) {
            return new Row(
                    group.team(),
                    group.user().isEmpty() ? null : group.user(),
                    group.server().isEmpty() ? null : group.server(),
                    0,
                    0,
                    0,
                    0,
                    0,
                    0,
                    0);
        }

        private Row plus(Usage usage) {
            return new Row(
                    teamId,
                    userId,
                    serverSlug,
                    calls + usage.calls(),
                    errors + usage.errors(),
                    requestBytes + usage.requestBytes(),
                    responseBytes + usage.responseBytes(),
                    awakeMs + usage.awakeMs(),
                    cpuMs + usage.cpuMs(),
                    memoryByteSeconds + usage.memoryByteSeconds());
        }

        private List<String> cells() {
            var cells = new ArrayList<>(List.of(teamId));
            if (userId != null) {
                cells.add(userId);
            }
            if (serverSlug != null) {
                cells.add(serverSlug);
            }
            cells.add(String.valueOf(calls));
            cells.add(String.valueOf(errors));
            cells.add(number("%.1f", cpuMs / 1000.0));
            cells.add(number("%.3f", memoryByteSeconds / GIBIBYTE_HOURS));
            cells.add(number("%.2f", awakeMs / HOUR_MS));
            cells.add(String.valueOf(requestBytes + responseBytes));
            return cells;
        }

        private static String number(String format, double value) {
            return String.format(Locale.ROOT, format, value);
        }
    }

    /**
     * Adds a record, unless it was added before.
     *
     * @param id its {@code ce_id}, null where it has none
     */
    void add(@Nullable String id, EventOrigin origin, Usage usage) {
        if (isRepeat(id, origin.seq())) {
            return;
        }
        var group = by.of(origin);
        rows.put(group, rows.getOrDefault(group, Row.of(group)).plus(usage));
    }

    private boolean isRepeat(@Nullable String id, long seq) {
        if (id == null || id.indexOf('/') < 0) {
            return false;
        }
        var session = id.substring(0, id.lastIndexOf('/'));
        long before = newest.getOrDefault(session, -1L);
        newest.put(session, Math.max(before, seq));
        return seq <= before;
    }

    /** The sums, by the names of teams, users and servers. */
    List<Row> rows() {
        return List.copyOf(rows.values());
    }

    List<String> headers() {
        var headers = new ArrayList<>(List.of("TEAM"));
        if (by != Grouping.TEAM) {
            headers.add("USER");
        }
        if (by == Grouping.SERVER) {
            headers.add("SERVER");
        }
        headers.addAll(List.of("CALLS", "ERRORS", "CPU S", "MEM GIB H", "AWAKE H", "BYTES"));
        return headers;
    }

    List<List<String>> cells() {
        return rows.values().stream().map(Row::cells).toList();
    }
}
