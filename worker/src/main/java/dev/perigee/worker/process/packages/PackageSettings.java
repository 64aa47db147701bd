package dev.perigee.worker.process.packages;

import dev.perigee.protocol.settings.Setting;
import dev.perigee.protocol.settings.SettingType;
import dev.perigee.protocol.settings.Settings;
import dev.perigee.protocol.settings.SettingsSchema;
import java.time.Duration;

/** The configuration keys of packages; part of the worker's. */
public final class PackageSettings {
    public static final Setting<Boolean> PREPARE =
            Setting.of(
                    "packages.prepare",
                    SettingType.bool(),
                    "true",
                    "Whether the package of an npx or uvx command is installed once per team and"
                            + " its program run directly. Where that is off, or the command does not"
                            + " say with certainty which program it means, it runs as written.");
    public static final Setting<Duration> TIMEOUT =
            Setting.of(
                    "packages.timeout",
                    SettingType.duration(),
                    "5m",
                    "How long the installation of a package may take.");
    public static final Setting<Integer> PARALLEL =
            Setting.of(
                    "packages.parallel",
                    SettingType.integer(1, 1000),
                    "2",
                    "How many packages may be installed at the same time.");
    public static final Setting<Duration> REFRESH_AFTER =
            Setting.of(
                    "packages.refresh-after",
                    SettingType.duration(),
                    "24h",
                    "How long an installed package without an exact version is used before an"
                            + " installation or a restart by command looks for a newer one. Restarts"
                            + " after crashes and calls to dormant servers never look.");
    public static final Setting<Duration> REFRESH_TIMEOUT =
            Setting.of(
                    "packages.refresh-timeout",
                    SettingType.duration(),
                    "30s",
                    "How long looking for a newer version may take; after that, or when it fails,"
                            + " the one that is there is used on, for ten times as long at least.");
    public static final Setting<Duration> KEEP =
            Setting.of(
                    "packages.keep",
                    SettingType.duration(),
                    "7d",
                    "How long an installation that a newer one replaced is kept for the processes"
                            + " that still run it.");

    /** All keys, in the order of the reference page. */
    public static final SettingsSchema SCHEMA =
            SettingsSchema.of(
                    "packages", PREPARE, TIMEOUT, PARALLEL, REFRESH_AFTER, REFRESH_TIMEOUT, KEEP);

    private PackageSettings() {}

    /** The options that the settings say. */
    public static PackageOptions read(Settings settings) {
        return new PackageOptions(
                settings.value(PREPARE),
                settings.value(TIMEOUT),
                settings.value(PARALLEL),
                settings.value(REFRESH_AFTER),
                settings.value(REFRESH_TIMEOUT),
                settings.value(KEEP));
    }
}
