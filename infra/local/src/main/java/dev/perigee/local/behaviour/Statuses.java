package dev.perigee.local.behaviour;

import dev.perigee.local.recording.RecordedRecord;
import dev.perigee.protocol.topic.Topic;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * The courses of the processes' statuses, as far as the compacted topic had them. Keeps the last
 * {@link #LONGEST} of each process. For one thread.
 */
final class Statuses {
    private static final int LONGEST = 20;
    private static final String REMOVED = "removed";

    /** An idle server differs from one that was just asked by nothing but time. */
    private static final Set<String> WELL = Set.of("online", "dormant");

    private final Map<String, Deque<String>> courses = new TreeMap<>();

    void add(RecordedRecord record) {
        if (record.topic() != Topic.STATUS || record.key() == null) {
            return;
        }
        var value = record.value();
        var status = value == null ? REMOVED : value.path("status").asString("");
        var course = courses.computeIfAbsent(record.key(), _ -> new ArrayDeque<>());
        if (!status.isEmpty() && !status.equals(course.peekLast())) {
            course.add(status);
            if (course.size() > LONGEST) {
                course.removeFirst();
            }
        }
    }

    /** Notes which processes end in another status. */
    void compare(Statuses after, Groups groups) {
        courses.forEach(
                (process, before) -> {
                    var course = after.courses.get(process);
                    var last = before.peekLast();
                    var other = course == null ? null : course.peekLast();
                    if (course != null
                            && last != null
                            && other != null
                            && !last.equals(other)
                            && !(WELL.contains(last) && WELL.contains(other))) {
                        groups.add(
                                Kind.STATUS,
                                last + " → " + other,
                                "",
                                Example.of(process, before.toString(), course.toString()));
                    }
                });
    }
}
