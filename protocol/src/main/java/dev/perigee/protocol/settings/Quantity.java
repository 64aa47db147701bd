package dev.perigee.protocol.settings;

import java.time.Duration;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Numbers with a unit. */
final class Quantity {
    private static final Pattern NUMBER_AND_UNIT = Pattern.compile("(\\d{1,18})([A-Za-z]*)");
    private static final Map<String, Long> MILLIS =
            Map.of("ms", 1L, "s", 1_000L, "m", 60_000L, "h", 3_600_000L, "d", 86_400_000L);
    private static final Map<String, Long> BYTES =
            Map.of(
                    "",
                    1L,
                    "B",
                    1L,
                    "KB",
                    1_000L,
                    "MB",
                    1_000_000L,
                    "GB",
                    1_000_000_000L,
                    "KiB",
                    1L << 10,
                    "MiB",
                    1L << 20,
                    "GiB",
                    1L << 30);

    private Quantity() {}

    static @Nullable Duration duration(String text) {
        if (text.equals("0")) {
            return Duration.ZERO;
        }
        var millis = amount(text, MILLIS);
        return millis == null ? null : Duration.ofMillis(millis);
    }

    static @Nullable Long bytes(String text) {
        return amount(text, BYTES);
    }

    private static @Nullable Long amount(String text, Map<String, Long> units) {
        var match = NUMBER_AND_UNIT.matcher(text);
        if (!match.matches()) {
            return null;
        }
        var unit = units.get(match.group(2));
        try {
            return unit == null
                    ? null
                    : Math.multiplyExact(Long.parseLong(match.group(1)), unit.longValue());
        } catch (ArithmeticException e) {
            return null;
        }
    }
}
