package dev.perigee.local.cli;

import org.apache.kafka.common.utils.AppInfoParser;
import picocli.CommandLine.IVersionProvider;

/** What {@code perigee --version} prints. */
final class Version implements IVersionProvider {
    @Override
    public String[] getVersion() {
        return new String[] {
            "perigee 0.1.0-SNAPSHOT", "Java " + Runtime.version(), "Kafka " + kafkaVersion()
        };
    }

    private static String kafkaVersion() {
        return AppInfoParser.getVersion();
    }
}
