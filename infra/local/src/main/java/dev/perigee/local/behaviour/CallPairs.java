package dev.perigee.local.behaviour;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * Compares calls and commands that belong together, and how long each tool took. For one thread.
 */
final class CallPairs {
    /** Of more different tools the durations are not compared. */
    private static final int MOST_TOOLS = 20_000;

    /** Of fewer calls a 99th percentile says nothing. */
    private static final int FEWEST = 20;

    /** What is shorter is not slow, however many times as long it is. */
    private static final long SLOW_MILLIS = 50;

    private final CompareRules rules;
    private final Groups groups;
    private final Map<String, DurationHistogram[]> latencies = new TreeMap<>();
    private long compared;
    private long same;

    CallPairs(CompareRules rules, Groups groups) {
        this.rules = rules;
        this.groups = groups;
    }

    /** Reads the pairs, one part at a time. */
    void read(Spill pairs) {
        for (int part = 0; part < pairs.parts(); part++) {
            var byId = new HashMap<String, ObjectNode>();
            pairs.read(
                    part,
                    document ->
                            byId.merge(
                                    document.path("base").asString(""),
                                    (ObjectNode) document,
                                    (one, other) -> one.setAll(other)));
            byId.values().forEach(pair -> compare(pair.get("before"), pair.get("after")));
        }
    }

    private void compare(@Nullable JsonNode before, @Nullable JsonNode after) {
        if (before == null) {
            if (after != null) {
                groups.add(
                        Kind.EXTRA, what(after), "", Example.of(after, null, after.get("answer")));
            }
            return;
        }
        compared++;
        var one = before.get("answer");
        var other = after == null ? null : after.get("answer");
        time(before, one, other);
        var kind = kind(one, other);
        if (kind != null) {
            groups.add(kind, what(before), words(one, other), Example.of(before, one, other));
            return;
        }
        if (one == null || other == null) {
            same++;
            return;
        }
        var changes = ResultDiff.of(one.path("result"), other.path("result"), own(before));
        if (changes.isEmpty()) {
            same++;
        } else {
            groups.add(
                    Kind.RESULT,
                    what(before),
                    Groups.signature(changes),
                    Example.of(before, one.get("result"), other.get("result")).with(changes));
        }
    }

    private List<CompareRules.Results> own(JsonNode call) {
        return rules.of(what(call));
    }

    private static @Nullable Kind kind(@Nullable JsonNode one, @Nullable JsonNode other) {
        if (one == null) {
            return other == null ? null : Kind.UNRECORDED;
        }
        if (other == null) {
            return Kind.MISSING;
        }
        if (!end(one).equals(end(other))) {
            return Kind.OUTCOME;
        }
        return one.path("error").equals(other.path("error")) ? null : Kind.ERROR;
    }

    /** How it ended: also whether the server itself says that the tool failed. */
    private static String end(JsonNode answer) {
        boolean toolFailed = answer.path("result").path("isError").asBoolean(false);
        var status = answer.path("status").asString("");
        return (answer.path("outcome").asString("")
                        + (toolFailed ? ", the tool says error" : "")
                        + " "
                        + status)
                .strip();
    }

    private static String words(@Nullable JsonNode one, @Nullable JsonNode other) {
        return inWords(one) + " → " + inWords(other);
    }

    private static String inWords(@Nullable JsonNode answer) {
        return answer == null
                ? "nothing"
                : (end(answer) + " " + answer.path("error").asString("")).strip();
    }

    private static String what(JsonNode call) {
        return call.path("what").asString("");
    }

    private void time(JsonNode call, @Nullable JsonNode one, @Nullable JsonNode other) {
        var what = what(call);
        if (one == null || other == null || !one.has("ms") || !other.has("ms")) {
            return;
        }
        if (latencies.size() >= MOST_TOOLS && !latencies.containsKey(what)) {
            return;
        }
        var both =
                latencies.computeIfAbsent(
                        what,
                        _ ->
                                new DurationHistogram[] {
                                    new DurationHistogram(), new DurationHistogram()
                                });
        both[0].add(one.path("ms").asLong(0));
        both[1].add(other.path("ms").asLong(0));
    }

    /** Durations of each tool; notes those that became slow. */
    List<ToolTime> times() {
        return latencies.entrySet().stream()
                .map(each -> time(each.getKey(), each.getValue()))
                .toList();
    }

    private ToolTime time(String what, DurationHistogram[] both) {
        var time =
                new ToolTime(
                        what,
                        both[0].count(),
                        both[0].percentile(0.5),
                        both[1].percentile(0.5),
                        both[0].percentile(0.99),
                        both[1].percentile(0.99));
        if (time.calls() >= FEWEST
                && time.p99After() >= SLOW_MILLIS
                && time.p99After() >= rules.slowerFactor() * Math.max(1, time.p99Before())) {
            groups.add(
                    Kind.SLOWER,
                    what,
                    "p99 " + time.p99Before() + " ms → " + time.p99After() + " ms",
                    Example.of(
                            what,
                            "p50 " + time.p50Before() + " ms",
                            "p50 " + time.p50After() + " ms"));
        }
        return time;
    }

    long compared() {
        return compared;
    }

    long same() {
        return same;
    }
}
