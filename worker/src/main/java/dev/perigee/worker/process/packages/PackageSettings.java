package dev.perigee.worker.process.packages;

import dev.perigee.protocol.settings.Setting;
import dev.perigee.protocol.settings.SettingType;
import dev.perigee.protocol.settings.Settings;
import dev.perigee.protocol.settings.SettingsSchema;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/** The configuration keys of packages; part of the worker's. */
public final class PackageSettings {
    public static final Setting<Boolean> PREPARE =
            Setting.of(
                    "packages.prepare",
                    SettingType.bool(),
                    "true",
                    "Whether the package of an npx or uvx command is installed once per worker and"
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
                    "How many packages may be installed at the same time. Of several one team, and"
                            + " users with registries of their own, never take all.");
    public static final Setting<Duration> REFRESH_AFTER =
            Setting.of(
                    "packages.refresh-after",
                    SettingType.duration(),
                    "24h",
                    "How long an installed package without an exact version is used before an"
                            + " installation or a restart by command looks for a newer one. Restarts"
                            + " after crashes and calls to dormant servers never look.");
    public static final Setting<Duration> BRANCHES_AFTER =
            Setting.of(
                    "packages.refresh-branches-after",
                    SettingType.duration(),
                    "1m",
                    "How long a branch or tag of a git repository is taken to be at the commit where"
                            + " it was, before an installation or a restart by command looks where"
                            + " it is. Restarts after crashes and calls to dormant servers never"
                            + " look.");
    public static final Setting<Duration> REFRESH_TIMEOUT =
            Setting.of(
                    "packages.refresh-timeout",
                    SettingType.duration(),
                    "30s",
                    "How long looking for a newer version, or for a branch, may take; after that, or when it fails,"
                            + " the one that is there is used on, for ten times as long at least.");
    public static final Setting<Duration> KEEP =
            Setting.of(
                    "packages.keep",
                    SettingType.duration(),
                    "7d",
                    "How long an installation that a newer one replaced is kept for the processes"
                            + " that still run it.");

    public static final Setting<List<String>> SCRIPTS =
            Setting.of(
                    "packages.scripts",
                    SettingType.listOf(SettingType.string()),
                    "",
                    "Names of packages, without versions, whose installation may run programs: the"
                            + " install scripts of npm packages and their dependencies, the build of"
                            + " Python packages that have no wheel. All others are installed without,"
                            + " or not at all. A package in a git repository, whose own build always"
                            + " runs, is named by its repository, such as github.com/acme/server, or"
                            + " github.com/acme/* for all of an owner.");
    public static final Setting<Path> NPMRC =
            Setting.optional(
                    "packages.npmrc",
                    SettingType.path().where(Path::isAbsolute, "absolute"),
                    "A file with npm's configuration, such as a registry and its credentials, for"
                            + " packages whose users configure no registry of their own. Only npm"
                            + " reads it, when a package is installed; no server sees it.");

    /** All keys, in the order of the reference page. */
    public static final SettingsSchema SCHEMA =
            SettingsSchema.of(
                    "packages",
                    PREPARE,
                    TIMEOUT,
                    PARALLEL,
                    REFRESH_AFTER,
                    BRANCHES_AFTER,
                    REFRESH_TIMEOUT,
                    KEEP,
                    SCRIPTS,
                    NPMRC);

    private PackageSettings() {}

    /** The options that the settings say. */
    public static PackageOptions read(Settings settings) {
        return new PackageOptions(
                settings.value(PREPARE),
                settings.value(TIMEOUT),
                settings.value(PARALLEL),
                settings.value(REFRESH_AFTER),
                settings.value(BRANCHES_AFTER),
                settings.value(REFRESH_TIMEOUT),
                settings.value(KEEP),
                settings.value(SCRIPTS),
                settings.valueOrNull(NPMRC));
    }
}
