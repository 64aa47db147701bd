package dev.perigee.testing.history;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * Checker of a run's records. Promised are, for every request, one ending and one only; for every
 * tool, one execution at most, or two where it says that it may be repeated, one if it succeeded,
 * and none if the answer says that it did not run; for every session of a process, its events in
 * their order and without holes; for every event, that a repeat says the same; for commands, one
 * ending each and for those of an instance in their order; and at no time two live processes of one
 * id. Pure.
 *
 * @param effects the lines that tools left behind
 * @param doubles moments at which a process had a twin
 */
public record History(
        List<Request> requests,
        List<HistoryRecord> entries,
        List<String> effects,
        List<String> doubles) {
    private static final String SUCCESS = "success";

    /** What a gateway answers when nothing was heard of a call that a worker has, or had. */
    private static final Set<String> LATE = Set.of("failed timeout", "failed outcome_unknown");

    /** By so much a session's first event may be written after the session began. */
    private static final Duration SHOWN_LATE = Duration.ofSeconds(30);

    /** Endings that say that the tool did not run. */
    private static final Set<String> NOT_RUN =
            Set.of(
                    "failed expired",
                    "failed unavailable",
                    "failed overloaded",
                    "failed worker_lost",
                    "failed server_unreachable");

    public History {
        requests = List.copyOf(requests);
        entries = List.copyOf(entries);
        effects = List.copyOf(effects);
        doubles = List.copyOf(doubles);
    }

    /** Everything that must not have happened, for people; empty when all is well. */
    public List<String> violations() {
        return judge(List.of()).violations();
    }

    /**
     * What must not have happened.
     *
     * @param outages what explains the {@link Admission}s
     */
    public Judgement judge(List<Outage> outages) {
        var judgement = new Judgement();
        var admissions = new Admissions(outages);
        doubles.forEach(judgement::violation);
        var runs = effects.stream().collect(Collectors.groupingBy(e -> e, Collectors.counting()));
        var endings = endings();
        for (var request : requests) {
            var ending = endings.getOrDefault(request.id(), Map.of());
            long ran = runs.getOrDefault(request.effect(), 0L);
            if (ending.isEmpty()) {
                judgement.violation("lost: no answer to " + request);
            } else if (ending.size() > 1) {
                var answers = answers(request);
                judgement.judge(
                        "two answers to " + request + ": " + answers,
                        admissions.ofAnswers(request, answers));
            } else if (ending.containsValue(SUCCESS) && ran == 0) {
                judgement.violation("answered without having run: " + request);
            } else if (ran > 0
                    && !request.repeatable()
                    && !Collections.disjoint(ending.values(), NOT_RUN)) {
                judgement.violation(
                        "ran, and the answer says that it did not: " + request + ending);
            }
            if (ran > (request.repeatable() ? 2 : 1)) {
                judgement.violation("ran " + ran + " times: " + request);
            }
        }
        differences(judgement, admissions);
        disorder().forEach(judgement::violation);
        commandsOutOfOrder().forEach(judgement::violation);
        holes().forEach(
                        (session, hole) ->
                                judgement.judge(
                                        hole.toString(session),
                                        hole.missing() <= droppedResults(hole)
                                                ? Admission.RESULT_DROPPED
                                                : admissions.ofHole(hole.next())));
        return judgement;
    }

    /**
     * How many results of the session's process may have been dropped while it lived, since a
     * gateway had answered the requests.
     */
    private long droppedResults(Hole hole) {
        return requests.stream()
                .filter(request -> request.processId().equals(hole.processId()))
                .map(this::answers)
                .filter(answers -> !answers.isEmpty() && answers.stream().allMatch(hole::isBehind))
                .count();
    }

    /** Whether nothing is missing between two events. What is written in transactions is later. */
    boolean isWhole() {
        return holes().isEmpty();
    }

    /** How often requests ended in which way; one that ended twice counts twice. */
    public Map<String, Long> counts() {
        var endings = endings();
        return requests.stream()
                .flatMap(r -> endings.getOrDefault(r.id(), Map.of()).values().stream())
                .collect(Collectors.groupingBy(e -> e, TreeMap::new, Collectors.counting()));
    }

    /** The longest time from a request to its first answer. */
    public Duration slowest() {
        var answered = firstAnswers();
        long longest =
                requests.stream()
                        .mapToLong(r -> answered.getOrDefault(r.id(), r.sentMs()) - r.sentMs())
                        .max()
                        .orElse(0);
        return Duration.ofMillis(longest);
    }

    /**
     * The longest time from the moment at which somebody called a server until it answered a call
     * with success, that one or a later one.
     */
    public Duration longestUnavailability() {
        long last = entries.stream().mapToLong(HistoryRecord::atMs).max().orElse(0);
        var succeeded =
                entries.stream()
                        .filter(entry -> entry.ending().equals(SUCCESS))
                        .collect(
                                Collectors.toMap(
                                        HistoryRecord::requestId, HistoryRecord::atMs, Math::min));
        var soonest = new HashMap<String, Long>();
        long longest = 0;
        for (var request : requests.reversed()) {
            if (!request.isCommand()) {
                long answered =
                        soonest.merge(
                                request.processId(),
                                succeeded.getOrDefault(request.id(), last),
                                Math::min);
                longest = Math.max(longest, answered - request.sentMs());
            }
        }
        return Duration.ofMillis(longest);
    }

    /** When a call was first answered after a moment, in milliseconds of the epoch as that is. */
    public long firstAnswerAfter(long moment) {
        return entries.stream()
                .filter(entry -> !entry.requestId().isEmpty() && entry.atMs() >= moment)
                .mapToLong(HistoryRecord::atMs)
                .min()
                .orElseThrow();
    }

    private List<HistoryRecord> answers(Request request) {
        return entries.stream().filter(entry -> entry.requestId().equals(request.id())).toList();
    }

    /** By request, the ids of its results and what each says: a repeat has the same id. */
    private Map<String, Map<String, String>> endings() {
        var endings = new HashMap<String, Map<String, String>>();
        for (var entry : entries) {
            if (!entry.requestId().isEmpty()) {
                endings.computeIfAbsent(entry.requestId(), _ -> new LinkedHashMap<>())
                        .putIfAbsent(entry.id(), entry.ending());
            }
        }
        return endings;
    }

    /** By request, when it was answered first. */
    private Map<String, Long> firstAnswers() {
        var answered = new HashMap<String, Long>();
        for (var entry : entries) {
            answered.merge(entry.requestId(), entry.atMs(), Math::min);
        }
        return answered;
    }

    /** Records of one id that do not say the same. */
    private void differences(Judgement judgement, Admissions admissions) {
        var first = new HashMap<String, HistoryRecord>();
        for (var entry : entries) {
            var before = first.putIfAbsent(entry.place() + " " + entry.id(), entry);
            if (before != null
                    && !entry.id().isEmpty()
                    && (before.content() != entry.content()
                            || !before.ending().equals(entry.ending()))) {
                judgement.judge(
                        "a repeat that differs: " + entry + " after " + before,
                        admissions.ofRepeat(before, entry));
            }
        }
    }

    /** Of each instance: who asked first is answered first. */
    private List<String> commandsOutOfOrder() {
        var found = new ArrayList<String>();
        var answered = firstAnswers();
        var before = new HashMap<String, Request>();
        for (var request : requests) {
            if (request.isCommand() && answered.containsKey(request.id())) {
                var last = before.put(request.processId(), request);
                if (last != null
                        && answered.getOrDefault(last.id(), 0L)
                                > answered.getOrDefault(request.id(), 0L)) {
                    found.add("commands out of order: " + request + " ended before " + last);
                }
            }
        }
        return found;
    }

    /** In each place, of each session: after the removal of repeats the numbers must grow. */
    private List<String> disorder() {
        var found = new ArrayList<String>();
        var seen = new HashMap<String, TreeSet<Long>>();
        for (var entry : entries) {
            var position = entry.position();
            if (position == null) {
                continue;
            }
            var before =
                    seen.computeIfAbsent(
                            entry.place() + " " + position.session(), _ -> new TreeSet<>());
            if (!before.isEmpty()
                    && !before.contains(position.seq())
                    && before.last() > position.seq()) {
                found.add("out of order: " + entry + " came after number " + before.last());
            }
            before.add(position.seq());
        }
        return found;
    }

    /**
     * Numbers of a session's events that did not come.
     *
     * @param next the first event behind the first of them
     * @param fromMs when the session's first event came, and untilMs the last one
     */
    private record Hole(
            String processId,
            long missing,
            long last,
            HistoryRecord next,
            long fromMs,
            long untilMs) {
        /** Whether a gateway answered, while the session lived, what its worker may have run. */
        boolean isBehind(HistoryRecord answer) {
            return answer.position() == null
                    && LATE.contains(answer.ending())
                    && answer.atMs() >= fromMs - SHOWN_LATE.toMillis()
                    && answer.atMs() <= untilMs;
        }

        String toString(String session) {
            return "lost: %d events of %s, which came to %d, before %s"
                    .formatted(missing, session, last, next);
        }
    }

    /** Over all places, by session: from the first number to the last none is missing. */
    private Map<String, Hole> holes() {
        var events = new TreeMap<String, TreeMap<Long, HistoryRecord>>();
        for (var entry : entries) {
            var position = entry.position();
            if (position != null) {
                events.computeIfAbsent(position.session(), _ -> new TreeMap<>())
                        .putIfAbsent(position.seq(), entry);
            }
        }
        var found = new TreeMap<String, Hole>();
        events.forEach(
                (session, entriesOf) -> {
                    long last = entriesOf.lastKey();
                    long missing = last - entriesOf.size();
                    if (missing > 0) {
                        long gap = 1;
                        while (entriesOf.containsKey(gap)) {
                            gap++;
                        }
                        var times = entriesOf.values().stream().mapToLong(HistoryRecord::atMs);
                        var span = times.summaryStatistics();
                        found.put(
                                session,
                                new Hole(
                                        session.substring(0, session.lastIndexOf('/')),
                                        missing,
                                        last,
                                        entriesOf.tailMap(gap).firstEntry().getValue(),
                                        span.getMin(),
                                        span.getMax()));
                    }
                });
        return found;
    }
}
