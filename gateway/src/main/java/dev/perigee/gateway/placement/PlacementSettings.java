package dev.perigee.gateway.placement;

import dev.perigee.gateway.link.LinkSettings;
import dev.perigee.protocol.settings.Setting;
import dev.perigee.protocol.settings.SettingType;
import dev.perigee.protocol.settings.Settings;
import dev.perigee.protocol.settings.SettingsSchema;
import java.time.Duration;

/** Configuration keys of placement and drains; part of the gateway's. */
public final class PlacementSettings {
    private static final Duration RECHECK = Duration.ofSeconds(30);

    public static final Setting<Duration> UNKNOWN_RETENTION =
            Setting.of(
                    "placement.unknown-retention",
                    SettingType.duration(),
                    "30s",
                    "How long a worker that this gateway never reached is taken to keep detached"
                            + " sessions. Set it to the longest retention of the fleet.");
    public static final Setting<Duration> MARGIN =
            Setting.of(
                    "placement.margin",
                    SettingType.duration(),
                    "5s",
                    "Added to detection and retention before a partition of a lost worker is"
                            + " placed elsewhere.");

    public static final Setting<Duration> SETTLE =
            Setting.of(
                    "placement.settle",
                    SettingType.duration(),
                    "30s",
                    "How long a worker that was added must have been there before partitions move"
                            + " to it.");
    public static final Setting<Duration> MOVE_INTERVAL =
            Setting.of(
                    "placement.move-interval",
                    SettingType.duration(),
                    "1s",
                    "The least time between two moves of partitions without processes to a worker"
                            + " that was added, for each gateway.");
    public static final Setting<Duration> MOVE_LIVE_INTERVAL =
            Setting.of(
                    "placement.move-live-interval",
                    SettingType.duration(),
                    "1m",
                    "The same for partitions with processes, which move only when no call runs and"
                            + " the worker they leave has more partitions in proportion; 0 leaves"
                            + " them where they are.");
    public static final Setting<Integer> DRAIN_PARALLEL =
            Setting.of(
                    "drain.parallel",
                    SettingType.integer(1, 10_000),
                    "4",
                    "How many partitions a gateway moves at a time from workers that drain.");
    public static final Setting<Duration> DRAIN_CALL_WAIT =
            Setting.of(
                    "drain.call-wait",
                    SettingType.duration(),
                    "30s",
                    "How long a partition that leaves a draining worker waits for calls that run"
                            + " there. New ones wait meanwhile, within their own deadlines.");

    public static final SettingsSchema SCHEMA =
            SettingsSchema.of(
                    "gateway",
                    UNKNOWN_RETENTION,
                    MARGIN,
                    SETTLE,
                    MOVE_INTERVAL,
                    MOVE_LIVE_INTERVAL,
                    DRAIN_PARALLEL,
                    DRAIN_CALL_WAIT);

    private PlacementSettings() {}

    /** The choice that the settings say; they hold {@link LinkSettings} too. */
    public static HostChoice choice(Settings settings) {
        return new HostChoice(
                new SafetyWindow(
                        settings.value(LinkSettings.DEAD_AFTER),
                        settings.value(LinkSettings.LEASE),
                        settings.value(UNKNOWN_RETENTION),
                        settings.value(MARGIN)),
                RECHECK);
    }

    /** The plans for moves that the settings say. */
    public static MovePlanner moves(Settings settings) {
        return new MovePlanner(
                new MoveLimits(
                        settings.value(SETTLE),
                        settings.value(MOVE_INTERVAL),
                        settings.value(MOVE_LIVE_INTERVAL),
                        settings.value(DRAIN_PARALLEL),
                        settings.value(DRAIN_CALL_WAIT).plus(RECHECK)));
    }
}
