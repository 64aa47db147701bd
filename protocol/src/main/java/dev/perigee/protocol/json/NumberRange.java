package dev.perigee.protocol.json;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The numbers that a field of a record may have. Input is held to both limits; what a former
 * version accepted and kept may exceed the upper one, and counts as that one.
 *
 * @param least the lower limit, inclusive
 * @param most the upper limit, inclusive
 */
public record NumberRange(long least, long most) {
    /** Of {@code timeout_ms} and {@code handshake_timeout_ms}: up to a day. */
    public static final NumberRange TIMEOUT_MS = new NumberRange(1, Duration.ofDays(1).toMillis());

    /**
     * Checks input.
     *
     * @throws InvalidRecordException naming the field and the limits, when there is a value outside
     */
    public void require(@Nullable Long value, String field) {
        if (value != null && (value < least || value > most)) {
            throw InvalidRecordException.invalid(
                    "field %s must be an integer from %d to %d".formatted(field, least, most));
        }
    }

    /** As {@link #require}, for the lower limit only. */
    public void requireLeast(@Nullable Long value, String field) {
        if (value != null && value < least) {
            require(value, field);
        }
    }

    /** The value, or the nearest limit. */
    public long within(long value) {
        return Math.clamp(value, least, most);
    }
}
