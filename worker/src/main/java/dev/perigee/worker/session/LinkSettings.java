package dev.perigee.worker.session;

import dev.perigee.protocol.settings.HostPort;
import dev.perigee.protocol.settings.Setting;
import dev.perigee.protocol.settings.SettingType;
import dev.perigee.protocol.settings.Settings;
import dev.perigee.protocol.settings.SettingsSchema;
import java.time.Duration;

/** The configuration keys of the link's server; part of the worker's. */
public final class LinkSettings {
    private static final SettingType<Duration> POSITIVE =
            SettingType.duration().where(Duration::isPositive, "more than zero");
    private static final SettingType<Long> SOME_BYTES =
            SettingType.bytes().where(bytes -> bytes > 0, "more than nothing");

    public static final Setting<HostPort> LISTEN =
            Setting.of(
                    "link.listen",
                    SettingType.hostPort(),
                    "127.0.0.1:7070",
                    "Where gateways connect. An address that others than this machine can reach"
                            + " needs link.token. Port 0 takes any free one.");
    public static final Setting<String> TOKEN =
            Setting.optional(
                            "link.token",
                            SettingType.string(),
                            "Bearer token that gateways must present. Without it everybody on this"
                                    + " machine may connect, so in production it is needed where"
                                    + " jailed servers have the network.")
                    .asSecret();
    public static final Setting<Duration> PING_INTERVAL =
            Setting.of("link.ping-interval", POSITIVE, "5s", "How often a gateway is pinged.");
    public static final Setting<Duration> DEAD_AFTER =
            Setting.of(
                    "link.dead-after",
                    POSITIVE,
                    "10s",
                    "A connection on which nothing arrives for this long, pongs included, is cut.");
    public static final Setting<Integer> MAX_ORDERS =
            Setting.of(
                    "link.max-orders",
                    SettingType.integer(1, 1_000_000),
                    "4096",
                    "Orders of one gateway that may be under way; more are refused as overloaded.");
    public static final Setting<Long> OUTBOUND =
            Setting.of(
                    "link.outbound",
                    SOME_BYTES,
                    "4MiB",
                    "Events that may wait in one connection to be written.");
    public static final Setting<Duration> HEARTBEAT_INTERVAL =
            Setting.of(
                    "heartbeat.interval",
                    POSITIVE,
                    "30s",
                    "How often the worker says how it is; the first time at once.");

    /** All keys, in the order of the reference page. */
    public static final SettingsSchema SCHEMA =
            SettingsSchema.of(
                            "link",
                            LISTEN,
                            TOKEN,
                            PING_INTERVAL,
                            DEAD_AFTER,
                            MAX_ORDERS,
                            OUTBOUND,
                            HEARTBEAT_INTERVAL)
                    .withRule(
                            settings ->
                                    settings.value(DEAD_AFTER)
                                                            .compareTo(
                                                                    settings.value(PING_INTERVAL))
                                                    > 0
                                            ? null
                                            : "link.dead-after must be longer than"
                                                    + " link.ping-interval");

    private LinkSettings() {}

    /** The options that the settings say. */
    public static LinkOptions read(Settings settings) {
        return new LinkOptions(
                settings.value(LISTEN),
                settings.valueOrNull(TOKEN),
                settings.value(PING_INTERVAL),
                settings.value(DEAD_AFTER),
                settings.value(MAX_ORDERS),
                settings.value(OUTBOUND));
    }
}
