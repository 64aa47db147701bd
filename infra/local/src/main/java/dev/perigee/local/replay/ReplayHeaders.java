package dev.perigee.local.replay;

import java.nio.charset.StandardCharsets;
import org.apache.kafka.common.header.Headers;
import org.jspecify.annotations.Nullable;

/** Headers of copied records: they say where each came from, and no others are copied. */
final class ReplayHeaders {
    /** The original: {@code cluster/topic-partition@offset}. */
    static final String OF = "perigee-replay-of";

    /** The run that copied it. */
    static final String RUN = "perigee-replay-run";

    /** The original's command id or request id. */
    static final String ID = "perigee-replay-id";

    /** When the original was appended: milliseconds since 1970. */
    static final String AT = "perigee-replay-at";

    private ReplayHeaders() {}

    static void add(Headers headers, String name, String value) {
        headers.add(name, value.getBytes(StandardCharsets.UTF_8));
    }

    static @Nullable String text(Headers headers, String name) {
        var header = headers.lastHeader(name);
        return header == null || header.value() == null
                ? null
                : new String(header.value(), StandardCharsets.UTF_8);
    }
}
