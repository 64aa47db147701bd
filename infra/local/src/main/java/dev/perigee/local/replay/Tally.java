package dev.perigee.local.replay;

import java.util.Map;
import java.util.TreeMap;

/** Counts of records by outcome. For one thread; {@link #counts} is a copy. */
public final class Tally {
    private final Map<String, Long> sent = new TreeMap<>();
    private final Map<String, Long> refused = new TreeMap<>();
    private long notWanted;

    /**
     * Numbers of records.
     *
     * @param sent by kind, such as {@code configure mcp_redeploy}
     * @param refused by {@link Refusal#code}
     * @param notWanted not asked for
     */
    public record Counts(Map<String, Long> sent, Map<String, Long> refused, long notWanted) {
        static final Counts NONE = new Counts(Map.of(), Map.of(), 0);

        public Counts {
            sent = new TreeMap<>(sent);
            refused = new TreeMap<>(refused);
        }

        /** How many were copied. */
        public long totalSent() {
            return sent.values().stream().mapToLong(Long::longValue).sum();
        }

        /** How many were refused. */
        public long totalRefused() {
            return refused.values().stream().mapToLong(Long::longValue).sum();
        }
    }

    Tally(Counts before) {
        sent.putAll(before.sent());
        refused.putAll(before.refused());
        notWanted = before.notWanted();
    }

    void sent(String what) {
        sent.merge(what, 1L, Long::sum);
    }

    void refused(Refusal reason) {
        refused.merge(reason.code(), 1L, Long::sum);
    }

    void notWanted() {
        notWanted++;
    }

    Counts counts() {
        return new Counts(sent, refused, notWanted);
    }
}
