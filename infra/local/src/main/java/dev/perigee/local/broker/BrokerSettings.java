package dev.perigee.local.broker;

import dev.perigee.protocol.settings.HostPort;
import dev.perigee.protocol.settings.Setting;
import dev.perigee.protocol.settings.SettingType;
import dev.perigee.protocol.settings.SettingsSchema;
import java.nio.file.Path;
import java.util.Map;

/** The configuration keys of the local broker. */
public final class BrokerSettings {
    public static final Setting<HostPort> LISTEN =
            Setting.of(
                    "broker.listen",
                    SettingType.hostPort(),
                    "127.0.0.1:9092",
                    "Where clients reach the local broker; port 0 takes a free one.");
    public static final Setting<Path> DATA =
            Setting.optional(
                    "broker.data",
                    SettingType.path(),
                    "Directory that keeps topics across restarts. Without it they are kept in a"
                            + " temporary directory that is removed at exit.");
    public static final Setting<Map<String, String>> KAFKA =
            Setting.passThrough(
                    "broker.kafka",
                    "Any setting of the Kafka broker, such as broker.kafka.log.retention.ms.");

    public static final SettingsSchema SCHEMA = SettingsSchema.of("broker", LISTEN, DATA, KAFKA);

    private BrokerSettings() {}
}
