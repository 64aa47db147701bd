package dev.perigee.tracing;

import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Address and limits of the export of spans. Immutable; {@code toString} shows no header's value.
 *
 * @param endpoint address that spans are posted to
 * @param headers of each post, secret
 * @param ca certificates in PEM, null for those of the JDK
 * @param serviceName null for that of the part
 * @param sampleRatio of traces that begin here, from 0 to 1
 * @param queue spans that may wait
 * @param exportTimeout of one post, repeats included
 * @param flushTimeout of the last spans, when the part stops
 */
record TracingOptions(
        URI endpoint,
        Map<String, String> headers,
        @Nullable Path ca,
        @Nullable String serviceName,
        double sampleRatio,
        int queue,
        Duration exportTimeout,
        Duration flushTimeout) {
    @Override
    public String toString() {
        return "TracingOptions[" + endpoint + ", headers " + headers.keySet() + "]";
    }
}
