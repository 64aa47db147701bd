package dev.perigee.testing.history;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
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
 * What happened in a run, and what of it must not have. Promised are, for every request, one ending
 * and one only; for every tool, one execution at most, or two where it says that it may be
 * repeated, one if it succeeded, and none if the answer says that it did not run; for every session
 * of a process, its events in their order and without holes; for every event, that a repeat says
 * the same; and at no time two live processes of one id. Pure.
 *
 * @param effects the lines that tools left behind
 * @param doubles moments at which a process had a twin
 */
public record History(
        List<Request> requests, List<Entry> entries, List<String> effects, List<String> doubles) {
    private static final String SUCCESS = "success";

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
        var found = new ArrayList<>(doubles);
        var runs = effects.stream().collect(Collectors.groupingBy(e -> e, Collectors.counting()));
        var endings = endings();
        for (var request : requests) {
            var ending = endings.getOrDefault(request.id(), Map.of());
            long ran = runs.getOrDefault(request.effect(), 0L);
            if (ending.isEmpty()) {
                found.add("lost: no answer to " + request);
            } else if (ending.size() > 1) {
                found.add("two answers to " + request + ": " + answers(request));
            } else if (ending.containsValue(SUCCESS) && ran == 0) {
                found.add("answered without having run: " + request);
            } else if (ran > 0
                    && !request.repeatable()
                    && !Collections.disjoint(ending.values(), NOT_RUN)) {
                found.add("ran, and the answer says that it did not: " + request + ending);
            }
            if (ran > (request.repeatable() ? 2 : 1)) {
                found.add("ran " + ran + " times: " + request);
            }
        }
        found.addAll(differences());
        found.addAll(disorder());
        found.addAll(holes());
        return found;
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
        var answered = new HashMap<String, Long>();
        for (var entry : entries) {
            answered.merge(entry.requestId(), entry.atMs(), Math::min);
        }
        long longest =
                requests.stream()
                        .mapToLong(r -> answered.getOrDefault(r.id(), r.sentMs()) - r.sentMs())
                        .max()
                        .orElse(0);
        return Duration.ofMillis(longest);
    }

    /** When a call was first answered after a moment, in milliseconds of the epoch as that is. */
    public long firstAnswerAfter(long moment) {
        return entries.stream()
                .filter(entry -> !entry.requestId().isEmpty() && entry.atMs() >= moment)
                .mapToLong(Entry::atMs)
                .min()
                .orElseThrow();
    }

    private List<Entry> answers(Request request) {
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

    /** Records of one id that do not say the same. */
    private List<String> differences() {
        var found = new ArrayList<String>();
        var first = new HashMap<String, Entry>();
        for (var entry : entries) {
            var before = first.putIfAbsent(entry.place() + " " + entry.id(), entry);
            if (before != null
                    && !entry.id().isEmpty()
                    && (before.content() != entry.content()
                            || !before.ending().equals(entry.ending()))) {
                found.add("a repeat that differs: " + entry + " after " + before);
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

    /** Over all places, of each session: from the first number to the last none is missing. */
    private Collection<String> holes() {
        var numbers = new TreeMap<String, TreeSet<Long>>();
        for (var entry : entries) {
            var position = entry.position();
            if (position != null) {
                numbers.computeIfAbsent(position.session(), _ -> new TreeSet<>())
                        .add(position.seq());
            }
        }
        var found = new ArrayList<String>();
        numbers.forEach(
                (session, seqs) -> {
                    long missing = seqs.last() - seqs.size();
                    if (missing > 0) {
                        found.add(
                                "lost: %d events of %s, which came to %d"
                                        .formatted(missing, session, seqs.last()));
                    }
                });
        return found;
    }
}
