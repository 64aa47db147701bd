package dev.perigee.bench.fleet;

import dev.perigee.protocol.topic.RecordKey;
import java.util.List;
import java.util.stream.IntStream;

/** The users of a benchmark, all of one team. */
public final class Users {
    private static final String TEAM = "bench";

    private Users() {}

    /** The first so many. */
    public static List<RecordKey> first(int count) {
        return IntStream.range(0, count)
                .mapToObj(number -> new RecordKey(TEAM, "user-" + number))
                .toList();
    }
}
