package dev.perigee.worker.session;

import dev.perigee.protocol.settings.Setting;
import dev.perigee.protocol.settings.SettingType;
import dev.perigee.protocol.settings.Settings;
import dev.perigee.protocol.settings.SettingsSchema;
import java.time.Duration;

/** Configuration keys of sessions and their journals; part of the worker's. */
public final class SessionSettings {
    private static final int MANY = 10_000_000;
    private static final SettingType<Long> SOME_BYTES =
            SettingType.bytes().where(bytes -> bytes > 0, "positive");

    public static final Setting<Duration> RETENTION =
            Setting.of(
                    "link.retention",
                    SettingType.duration().where(Duration::isPositive, "more than zero"),
                    "30s",
                    "How long processes go on without a gateway, or with one that has not heard from"
                            + " its group for link.lease. Gateways refuse a worker whose"
                            + " retention is shorter than their group's session timeout plus 15 s.");
    public static final Setting<Duration> EXPIRY_GRACE =
            Setting.of(
                    "link.expiry-grace",
                    SettingType.duration(),
                    "3s",
                    "How long the processes of an expired session may take to end before they are"
                            + " killed. Keep it below the gateways' placement.margin.");
    public static final Setting<Duration> FLUSH_TIMEOUT =
            Setting.of(
                    "link.flush-timeout",
                    SettingType.duration(),
                    "5s",
                    "How long a worker that stops waits for gateways to acknowledge its last"
                            + " events.");
    public static final Setting<Long> JOURNAL_BYTES =
            Setting.of(
                    "journal.bytes",
                    SOME_BYTES,
                    "1MiB",
                    "Unacknowledged events of one instance. Beyond three quarters log lines give"
                            + " way; when full its output is not read and calls are refused.");
    public static final Setting<WhenFull> WHEN_FULL =
            Setting.of(
                    "journal.when-full",
                    SettingType.oneOf(WhenFull.class),
                    "pause",
                    "With pause the process waits until there is room. With evict its oldest output"
                            + " goes, and a process whose output a gateway missed is ended with"
                            + " reason output_gap.");
    public static final Setting<Integer> JOURNAL_ENTRIES =
            Setting.of(
                    "journal.entries",
                    SettingType.integer(1, MANY),
                    "50000",
                    "The same in events.");
    public static final Setting<Long> LARGE_ENTRY =
            Setting.of(
                    "journal.large-entry",
                    SOME_BYTES.where(bytes -> bytes <= Integer.MAX_VALUE, "at most 2GiB"),
                    "64KiB",
                    "An event from this size on counts towards journal.large-budget only.");
    public static final Setting<Long> JOURNAL_BUDGET =
            Setting.optional(
                    "journal.large-budget",
                    SOME_BYTES,
                    "Unacknowledged events of all instances together, large or not. An instance may"
                            + " hold as much of it as is still free; beyond that its output is not"
                            + " read and its calls are refused. While it is used up no calls are"
                            + " accepted. Without it an eighth of the heap.");
    public static final Setting<Duration> REPEAT_WINDOW =
            Setting.of(
                    "requests.repeat-window",
                    SettingType.duration(),
                    "10m",
                    "For how long a request_id does not run a second time.");
    public static final Setting<Integer> REPEAT_COUNT =
            Setting.of(
                    "requests.repeat-count",
                    SettingType.integer(0, MANY),
                    "20000",
                    "How many results each partition keeps to answer repeats with, at most. The"
                            + " ids of others are remembered without their results.");
    public static final Setting<Long> REPEAT_BYTES =
            Setting.of(
                    "requests.repeat-bytes",
                    SettingType.bytes(),
                    "4MiB",
                    "How many bytes of results each partition keeps to answer repeats with. All"
                            + " together keep a sixteenth of the heap at most.");

    public static final Setting<Long> REPEAT_MEMORY =
            Setting.optional(
                    "requests.repeat-memory",
                    SOME_BYTES,
                    "Memory for the ids of answered requests, of all partitions together, 28 bytes"
                            + " each; while it is used up new calls are refused and answered"
                            + " overloaded. An id takes it for requests.repeat-window and up to a"
                            + " fifth more. Without it a quarter of the heap.");

    /** All keys, in the order of the reference page. */
    public static final SettingsSchema SCHEMA =
            SettingsSchema.of(
                            "sessions",
                            RETENTION,
                            EXPIRY_GRACE,
                            FLUSH_TIMEOUT,
                            JOURNAL_BYTES,
                            JOURNAL_ENTRIES,
                            WHEN_FULL,
                            LARGE_ENTRY,
                            JOURNAL_BUDGET,
                            REPEAT_WINDOW,
                            REPEAT_COUNT,
                            REPEAT_BYTES,
                            REPEAT_MEMORY)
                    .with(CallSettings.SCHEMA);

    private SessionSettings() {}

    /**
     * The options that the settings say.
     *
     * @param terminationLimit how long the processes of a worker that stops may take to end
     */
    public static SessionOptions read(Settings settings, Duration terminationLimit) {
        return new SessionOptions(
                settings.value(RETENTION),
                settings.value(EXPIRY_GRACE),
                terminationLimit,
                settings.value(FLUSH_TIMEOUT),
                settings.value(JOURNAL_BYTES),
                settings.value(JOURNAL_ENTRIES),
                settings.value(WHEN_FULL),
                Math.toIntExact(settings.value(LARGE_ENTRY)),
                settings.valueOrNull(JOURNAL_BUDGET),
                settings.value(REPEAT_WINDOW),
                settings.value(REPEAT_COUNT),
                settings.value(REPEAT_BYTES),
                settings.valueOrNull(REPEAT_MEMORY),
                CallSettings.read(settings));
    }
}
