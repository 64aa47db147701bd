package dev.perigee.local.cli;

import dev.perigee.client.KafkaConnection;
import dev.perigee.local.recording.RecordingReader;
import dev.perigee.local.replay.ReplayJob.From;
import dev.perigee.part.CliException;
import dev.perigee.part.KafkaPropertiesFile;
import dev.perigee.protocol.settings.HostPort;
import dev.perigee.protocol.topic.TopicNames;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import picocli.CommandLine.Option;

/** The options that name the two clusters of a replay. */
final class ReplayClusters {
    private static final String BOOTSTRAP = "bootstrap.servers";

    @Option(
            names = "--from",
            required = true,
            paramLabel = "SOURCE",
            description =
                    "Where to read: HOST:PORT, a file of Kafka client properties with"
                            + " bootstrap.servers, or a recording.")
    private String from = "";

    @Option(
            names = "--to",
            required = true,
            paramLabel = "TARGET",
            description = "Where to write: HOST:PORT or a file of Kafka client properties.")
    private String to = "";

    @Option(
            names = "--from-prefix",
            paramLabel = "PREFIX",
            defaultValue = TopicNames.DEFAULT_PREFIX,
            description = "What the source's topic names begin with (default mcp.).")
    private String fromPrefix = "";

    @Option(
            names = "--to-prefix",
            paramLabel = "PREFIX",
            defaultValue = TopicNames.DEFAULT_PREFIX,
            description = "What the target's topic names begin with (default mcp.).")
    private String toPrefix = "";

    From source() {
        var file = Path.of(from);
        return RecordingReader.looksLikeOne(file)
                ? new From.Recording(file)
                : new From.Fleet(connection("--from", from, fromPrefix));
    }

    KafkaConnection target() {
        return connection("--to", to, toPrefix);
    }

    static KafkaConnection connection(String option, String where, String prefix) {
        if (!TopicNames.isPrefix(prefix)) {
            throw CliException.usage(
                    option
                            + "-prefix '"
                            + prefix
                            + "' is no beginning of a topic name: write "
                            + TopicNames.PREFIX_RULE);
        }
        var names = new TopicNames(prefix);
        if (Files.isRegularFile(Path.of(where))) {
            var properties = KafkaPropertiesFile.read(Path.of(where));
            var bootstrap = properties.get(BOOTSTRAP);
            if (bootstrap == null) {
                throw CliException.usage(option + " " + where + " has no " + BOOTSTRAP);
            }
            return new KafkaConnection(bootstrap, names, properties);
        }
        for (var each : where.split(",", -1)) {
            var address = HostPort.parse(each.strip());
            if (address == null || address.port() == 0) {
                throw CliException.usage(
                        option
                                + " '"
                                + where
                                + "' is neither a file nor an address: write HOST:PORT, several"
                                + " with commas between");
            }
        }
        return new KafkaConnection(where, names, Map.of());
    }
}
