package dev.perigee.tracing;

import org.jspecify.annotations.Nullable;

/**
 * The part whose spans are sent.
 *
 * @param part {@code gateway} or {@code worker}
 * @param id of this one, the spans' service.instance.id
 * @param version null where it is not known
 */
public record Traced(String part, String id, @Nullable String version) {
    String serviceName() {
        return "perigee-" + part;
    }
}
