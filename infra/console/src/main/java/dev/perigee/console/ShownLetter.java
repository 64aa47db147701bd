package dev.perigee.console;

import dev.perigee.gateway.deadletter.Letter;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * Dead letter as the page shows it, without its value, which may hold secrets.
 *
 * @param place {@code partition@offset} on dead-letters
 * @param redrives how often the record had been put back before
 * @param redrivenTo where it was put back, null while it was not
 */
record ShownLetter(
        String place,
        Instant time,
        @Nullable String key,
        String reason,
        String detail,
        String origin,
        int sizeBytes,
        int redrives,
        @Nullable String redrivenTo) {

    static ShownLetter of(Letter letter) {
        return new ShownLetter(
                letter.place(),
                letter.time(),
                Text.cutOrNull(letter.key(), Text.NAME),
                Text.cut(letter.reason(), Text.NAME),
                Text.cut(letter.detail(), Text.LINE),
                Text.cut(letter.origin(), Text.NAME),
                letter.sizeBytes(),
                letter.redrives(),
                Text.cutOrNull(letter.redrivenTo(), Text.NAME));
    }
}
