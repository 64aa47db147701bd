package dev.perigee.worker.mcp;

import java.net.http.HttpHeaders;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The response header {@code Retry-After}: seconds, or a date, which counts from the response's own
 * {@code Date} where it has one, since clocks differ. At most a day. Pure.
 */
final class RetryAfter {
    private static final Duration MOST = Duration.ofDays(1);
    private static final Pattern SECONDS = Pattern.compile("\\d{1,9}");

    private RetryAfter() {}

    /** The pause that a response asks for, null when it names none that can be read. */
    static @Nullable Duration read(HttpHeaders headers, Instant now) {
        var value = headers.firstValue("retry-after").orElse("").strip();
        if (SECONDS.matcher(value).matches()) {
            return bounded(Duration.ofSeconds(Long.parseLong(value)));
        }
        var until = date(value);
        if (until == null) {
            return null;
        }
        var sent = date(headers.firstValue("date").orElse(""));
        return bounded(Duration.between(sent == null ? now : sent, until));
    }

    private static Duration bounded(Duration pause) {
        if (pause.isNegative()) {
            return Duration.ZERO;
        }
        return pause.compareTo(MOST) > 0 ? MOST : pause;
    }

    private static @Nullable Instant date(String text) {
        try {
            return ZonedDateTime.parse(text.strip(), DateTimeFormatter.RFC_1123_DATE_TIME)
                    .toInstant();
        } catch (DateTimeException e) {
            return null;
        }
    }

    /** For people: seconds, rounded up. */
    static String text(Duration pause) {
        return pause.plusNanos(999_999_999).toSeconds() + " s";
    }
}
