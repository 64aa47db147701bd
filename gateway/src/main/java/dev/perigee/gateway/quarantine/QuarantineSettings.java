package dev.perigee.gateway.quarantine;

import dev.perigee.protocol.settings.Setting;
import dev.perigee.protocol.settings.SettingType;
import dev.perigee.protocol.settings.Settings;
import dev.perigee.protocol.settings.SettingsSchema;
import java.time.Duration;

/** Configuration keys of quarantine; part of the gateway's. */
public final class QuarantineSettings {
    private static final SettingType<Duration> POSITIVE =
            SettingType.duration().where(time -> time.isPositive(), "positive");

    public static final Setting<Integer> DEATHS =
            Setting.of(
                    "quarantine.deaths",
                    SettingType.integer(0, 8),
                    "2",
                    "An installation that was running when so many workers died starts alone from"
                            + " then on. 0 for never.");
    public static final Setting<Duration> MEMORY =
            Setting.of(
                    "quarantine.memory",
                    POSITIVE,
                    "1h",
                    "How long the death of a worker counts against what ran there, and against what"
                            + " its user installs or changes.");
    public static final Setting<Duration> TRIAL =
            Setting.of(
                    "quarantine.trial",
                    POSITIVE,
                    "20s",
                    "How long a quarantined installation runs before the next one of its worker"
                            + " starts; longer, up to two minutes, where a worker died later after"
                            + " its start.");

    public static final Setting<Duration> QUIET =
            Setting.of(
                    "quarantine.quiet",
                    SettingType.duration(),
                    "1m",
                    "How long no quarantined installation starts alone after its partition was"
                            + " restored on a worker: an installation that ends workers that soon"
                            + " after its start does so while none is on trial.");

    public static final SettingsSchema SCHEMA =
            SettingsSchema.of("gateway", DEATHS, MEMORY, QUIET, TRIAL);

    private QuarantineSettings() {}

    /** The rules that the settings say. */
    public static QuarantineRules rules(Settings settings) {
        return new QuarantineRules(
                new QuarantineLimits(
                        settings.value(DEATHS),
                        settings.value(MEMORY),
                        settings.value(TRIAL),
                        settings.value(QUIET)));
    }
}
