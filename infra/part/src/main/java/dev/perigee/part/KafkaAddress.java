package dev.perigee.part;

import dev.perigee.protocol.settings.HostPort;
import dev.perigee.protocol.topic.TopicNames;

/** Checks what options say about Kafka, before anybody tries to connect. */
public final class KafkaAddress {
    private KafkaAddress() {}

    /** The same address, or several with commas between. */
    public static String checked(String bootstrap) {
        for (var each : bootstrap.split(",", -1)) {
            var address = HostPort.parse(each.strip());
            if (address == null || address.port() == 0) {
                throw CliException.usage(
                        "--bootstrap '"
                                + bootstrap
                                + "' is no address: write HOST:PORT, several with commas between");
            }
        }
        return bootstrap;
    }

    /** The same prefix of topic names. */
    public static String checkedPrefix(String prefix) {
        if (!TopicNames.isPrefix(prefix)) {
            throw CliException.usage(
                    "--prefix '"
                            + prefix
                            + "' is no beginning of a topic name: write "
                            + TopicNames.PREFIX_RULE);
        }
        return prefix;
    }
}
