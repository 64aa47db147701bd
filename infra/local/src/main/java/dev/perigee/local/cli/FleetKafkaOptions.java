package dev.perigee.local.cli;

import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The options that say which Kafka a local fleet uses. */
final class FleetKafkaOptions {
    @Option(
            names = "--bootstrap",
            paramLabel = "HOST:PORT",
            description = "Use this Kafka instead of starting a broker.")
    private @Nullable String bootstrap;

    @Option(
            names = "--prefix",
            paramLabel = "PREFIX",
            defaultValue = "${env:PERIGEE_TOPICS_PREFIX:-mcp.}",
            description = "What topic names begin with (PERIGEE_TOPICS_PREFIX, default mcp.).")
    private String prefix = "";

    @Nullable String bootstrap() {
        return bootstrap;
    }

    String prefix() {
        return prefix;
    }
}
