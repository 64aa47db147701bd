package dev.perigee.gateway.placement;

import dev.perigee.gateway.link.LinkSettings;
import dev.perigee.protocol.settings.Setting;
import dev.perigee.protocol.settings.SettingType;
import dev.perigee.protocol.settings.Settings;
import dev.perigee.protocol.settings.SettingsSchema;
import java.time.Duration;

/** The gateway's configuration of placement. */
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

    public static final SettingsSchema SCHEMA =
            SettingsSchema.of("gateway", UNKNOWN_RETENTION, MARGIN);

    private PlacementSettings() {}

    /** The choice that the settings say; they hold {@link LinkSettings} too. */
    public static HostChoice choice(Settings settings) {
        return new HostChoice(
                new SafetyWindow(
                        settings.value(LinkSettings.DEAD_AFTER),
                        settings.value(UNKNOWN_RETENTION),
                        settings.value(MARGIN)),
                RECHECK);
    }
}
