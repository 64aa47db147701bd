package dev.perigee.gateway.deadletter;

import java.time.Instant;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Filter of letters. Null and empty mean any.
 *
 * @param places positions of letters or of their origins: {@code partition@offset} of dead-letters,
 *     or {@code topic-partition@offset} of either
 */
public record LetterFilter(
        Set<String> reasons,
        @Nullable String key,
        @Nullable String team,
        @Nullable String user,
        @Nullable String originTopic,
        @Nullable Instant since,
        @Nullable Instant until,
        Set<String> places) {
    public LetterFilter {
        reasons = Set.copyOf(reasons);
        places = Set.copyOf(places);
    }

    /** One letter, or a few. */
    public static LetterFilter at(Set<String> places) {
        return new LetterFilter(Set.of(), null, null, null, null, null, null, places);
    }

    boolean accepts(Letter letter) {
        return (reasons.isEmpty() || reasons.contains(letter.reason()))
                && (key == null || key.equals(letter.key()))
                && (team == null || keyOf(letter).startsWith(team + "/"))
                && (user == null || keyOf(letter).endsWith("/" + user))
                && (originTopic == null || letter.origin().startsWith(originTopic + "-"))
                && (since == null || !letter.time().isBefore(since))
                && (until == null || letter.time().isBefore(until))
                && (places.isEmpty() || isAt(letter));
    }

    private static String keyOf(Letter letter) {
        return letter.key() == null ? "" : letter.key();
    }

    private boolean isAt(Letter letter) {
        var position = letter.position();
        return places.contains(position.partition() + "@" + position.offset())
                || places.contains(position.toString())
                || places.contains(letter.origin());
    }
}
