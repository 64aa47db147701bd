package dev.perigee.gateway;

import dev.perigee.gateway.admin.GatewayAdminSettings;
import dev.perigee.gateway.inbound.PlainSecrets;
import dev.perigee.gateway.link.LinkSettings;
import dev.perigee.gateway.placement.PlacementSettings;
import dev.perigee.gateway.quarantine.QuarantineSettings;
import dev.perigee.gateway.secret.StateKeys;
import dev.perigee.protocol.settings.Setting;
import dev.perigee.protocol.settings.SettingType;
import dev.perigee.protocol.settings.Settings;
import dev.perigee.protocol.settings.SettingsSchema;
import dev.perigee.protocol.topic.TopicNames;
import dev.perigee.tracing.TracingSettings;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The gateway's configuration keys; {@code docs/reference/configuration.md} is generated from them.
 */
public final class GatewaySettings {
    private static final SettingType<Duration> POSITIVE =
            SettingType.duration().where(duration -> duration.isPositive(), "positive");

    public static final Setting<String> BOOTSTRAP =
            Setting.required(
                    "kafka.bootstrap.servers",
                    SettingType.string(),
                    "Addresses of Kafka brokers to begin with, host:port separated by commas.");
    public static final Setting<Map<String, String>> KAFKA =
            Setting.passThrough(
                    "kafka",
                    "Given to every Kafka client of the gateway, such as kafka.security.protocol."
                            + " What the gateway's guarantees rest on cannot be changed.");
    public static final Setting<String> PREFIX =
            Setting.of(
                    "topics.prefix",
                    SettingType.string().where(TopicNames::isPrefix, TopicNames.PREFIX_RULE),
                    "mcp.",
                    "What the names of all topics begin with.");
    public static final Setting<String> ID =
            Setting.optional(
                    "gateway.id",
                    SettingType.string()
                            .where(id -> id.matches("[A-Za-z0-9._-]{1,100}"), "of [A-Za-z0-9._-]"),
                    "Who this gateway is; no two that run may share it. Without it a random one"
                            + " is taken at each start.");
    public static final Setting<String> GROUP =
            Setting.optional(
                    "group.id",
                    SettingType.string(),
                    "The consumer group of all gateways of one fleet. Without it the topics' prefix"
                            + " followed by gateway.");
    public static final Setting<Duration> SESSION_TIMEOUT =
            Setting.of(
                    "group.session-timeout",
                    POSITIVE,
                    "10s",
                    "After this long without a heartbeat a gateway's partitions go to others. One"
                            + " without an accepted commit for so long publishes nothing more of"
                            + " them.");
    public static final Setting<Duration> HEARTBEAT =
            Setting.of(
                    "group.heartbeat-interval",
                    POSITIVE,
                    "1s",
                    "How often the gateway tells the group that it lives, and learns that"
                            + " partitions are assigned anew.");
    public static final Setting<List<String>> REPLY_TOPICS =
            Setting.of(
                    "replies.allowed-topics",
                    SettingType.listOf(SettingType.string()),
                    "{prefix}*",
                    "Topics that a backend may name for its replies; * stands for any characters,"
                            + " {prefix} for topics.prefix.");
    public static final Setting<Duration> REQUEST_TIMEOUT =
            Setting.of(
                    "request.timeout",
                    POSITIVE,
                    "30s",
                    "Time from a request's append to its answer, where the request names none.");
    public static final Setting<Duration> LONGEST_INPUT =
            Setting.of(
                    "request.longest-input",
                    POSITIVE.where(time -> time.toDays() < 1, "less than a day"),
                    "1h",
                    "How long the questions of one request may wait for answers, all together,"
                            + " whatever its input_timeout_ms; its deadline stands still meanwhile.");
    public static final Setting<Long> MAX_RECORD =
            Setting.of(
                    "records.max-bytes",
                    SettingType.bytes()
                            .where(bytes -> bytes >= 1024 && bytes <= 15 << 20, "up to 15MiB"),
                    "15MiB",
                    "Largest command or request that is taken; a larger one is a dead letter.");
    public static final Setting<Integer> OPEN_RECORDS =
            Setting.of(
                    "partition.open-records",
                    SettingType.integer(1, 100_000),
                    "5000",
                    "Records of one topic partition that may be under way before it is paused.");
    public static final Setting<Long> OPEN_BYTES =
            Setting.of(
                    "partition.open-bytes",
                    SettingType.bytes().where(bytes -> bytes > 0, "positive"),
                    "32MiB",
                    "The same in bytes.");
    public static final Setting<Integer> RESTORES =
            Setting.of(
                    "partition.parallel-restores",
                    SettingType.integer(1, 64),
                    "4",
                    "How many partitions are restored at a time.");
    public static final Setting<Duration> UNKNOWN_SERVER =
            Setting.of(
                    "request.unknown-server-wait",
                    POSITIVE,
                    "10s",
                    "How long a request for an unknown server waits, at most, for the commands"
                            + " that were sent before it.");
    public static final Setting<Duration> SILENCE =
            Setting.of(
                    "request.silence-margin",
                    POSITIVE,
                    "10s",
                    "How long past a request's deadline the gateway waits for the worker's answer"
                            + " before it gives one itself; after a takeover also past the last"
                            + " entry that the worker replays.");
    public static final Setting<Duration> REQUEST_MEMORY =
            Setting.of(
                    "request.memory",
                    POSITIVE,
                    "10m",
                    "How long the id of an answered request is known, so that it is not run twice.");
    public static final Setting<Long> REQUEST_MEMORY_BYTES =
            Setting.optional(
                    "request.memory-bytes",
                    SettingType.bytes().where(bytes -> bytes > 0, "positive"),
                    "Memory for these ids, of all partitions together, 28 bytes each; while it is"
                            + " used up new requests are answered overloaded. An id takes it for"
                            + " request.memory and up to a fifth more. Without it a quarter of the"
                            + " heap.");
    public static final Setting<Duration> COMMAND_TIMEOUT =
            Setting.of(
                    "command.timeout",
                    POSITIVE,
                    "15m",
                    "How long a worker may take for a command.");
    public static final Setting<Duration> COMMAND_MEMORY =
            Setting.of(
                    "command.memory",
                    POSITIVE,
                    "24h",
                    "How long the id of a command is known, so that it is not run twice.");

    public static final Setting<PlainSecrets> PLAIN_SECRETS =
            Setting.of(
                    "secrets.plain",
                    SettingType.oneOf(PlainSecrets.class),
                    "allow",
                    "Whether a command may configure secrets as plain text. With forbid a command"
                            + " whose configuration has one becomes a dead letter and is answered"
                            + " rejected: values of env, headers and url_query_params must be"
                            + " references, but for names known to be harmless such as NODE_ENV,"
                            + " and args, command and url must have none.");
    public static final Setting<StateKeys> STATE_KEYS =
            Setting.optional(
                            "state.encryption-keys",
                            StateKeys.type(),
                            "Keys (AES-256) that encrypt what the state topic holds of"
                                    + " installations, such as env and headers: the first one what is"
                                    + " written, the others what they wrote before. All gateways need"
                                    + " the same. Without any it is written as it came.")
                    .asSecret();

    /** The keys of the gateway's own packages; those of its links come on top. */
    private static final SettingsSchema OWN =
            SettingsSchema.of(
                            "gateway",
                            BOOTSTRAP,
                            PREFIX,
                            ID,
                            GROUP,
                            SESSION_TIMEOUT,
                            HEARTBEAT,
                            REPLY_TOPICS,
                            REQUEST_TIMEOUT,
                            LONGEST_INPUT,
                            MAX_RECORD,
                            OPEN_RECORDS,
                            OPEN_BYTES,
                            RESTORES,
                            UNKNOWN_SERVER,
                            SILENCE,
                            REQUEST_MEMORY,
                            REQUEST_MEMORY_BYTES,
                            COMMAND_TIMEOUT,
                            COMMAND_MEMORY,
                            PLAIN_SECRETS,
                            STATE_KEYS,
                            KAFKA)
                    .withRule(GatewaySettings::heartbeatsBeforeTimeout);

    /** Every key that a gateway without a console knows. */
    public static final SettingsSchema SCHEMA = with(SettingsSchema.of("gateway"));

    private GatewaySettings() {}

    /** Every key that a gateway knows whose console has these. */
    public static SettingsSchema with(SettingsSchema console) {
        return OWN.with(LimitSettings.SCHEMA)
                .with(MemorySettings.SCHEMA)
                .with(LinkSettings.SCHEMA)
                .with(PlacementSettings.SCHEMA)
                .with(QuarantineSettings.SCHEMA)
                .with(GatewayAdminSettings.SCHEMA)
                .with(console)
                .with(TracingSettings.SCHEMA)
                .withRule(
                        settings ->
                                LimitSettings.leaveRoomForOthers(
                                        settings,
                                        settings.value(OPEN_RECORDS),
                                        settings.value(OPEN_BYTES)))
                .withRule(GatewaySettings::leaseOutlivesTimeout);
    }

    private static @Nullable String leaseOutlivesTimeout(Settings settings) {
        return settings.value(SESSION_TIMEOUT).compareTo(settings.value(LinkSettings.LEASE)) <= 0
                ? null
                : "link.lease must not be shorter than group.session-timeout";
    }

    private static @Nullable String heartbeatsBeforeTimeout(Settings settings) {
        return settings.value(HEARTBEAT).multipliedBy(2).compareTo(settings.value(SESSION_TIMEOUT))
                        <= 0
                ? null
                : "group.heartbeat-interval must be at most half of group.session-timeout";
    }
}
