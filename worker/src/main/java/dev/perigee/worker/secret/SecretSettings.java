package dev.perigee.worker.secret;

import dev.perigee.protocol.settings.Setting;
import dev.perigee.protocol.settings.SettingType;
import dev.perigee.protocol.settings.Settings;
import dev.perigee.protocol.settings.SettingsSchema;
import java.nio.file.Path;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** The configuration keys of secrets by reference; part of the worker's. */
public final class SecretSettings {
    private static final SettingType<Path> ABSOLUTE =
            SettingType.path().where(Path::isAbsolute, "absolute");

    static final Setting<SecretProvider> PROVIDER =
            Setting.of(
                    "secrets.provider",
                    SettingType.oneOf(SecretProvider.class),
                    "file",
                    "Where the values of references in env, headers and url_query_params come from:"
                            + " files below secrets.directory, or what secrets.command prints.");
    static final Setting<Path> DIRECTORY =
            Setting.of(
                    "secrets.directory",
                    ABSOLUTE,
                    "/run/secrets/perigee",
                    "Directory of the provider file: a secret is the file TEAM/USER/NAME, by team_id"
                            + " and user_id of the configuration, in UTF-8, 64 KiB at most. It is"
                            + " read at each start of a process and for each request to a server"
                            + " over HTTP.");
    static final Setting<Path> COMMAND =
            Setting.optional(
                    "secrets.command",
                    ABSOLUTE,
                    "Program of the provider command. It is run with team_id, user_id and name as"
                            + " arguments, without input, and prints the secret, 64 KiB at most."
                            + " What it prints is never logged. It has the worker's environment but"
                            + " for PERIGEE_* variables.");
    static final Setting<Duration> COMMAND_TIMEOUT =
            Setting.of(
                    "secrets.command-timeout",
                    SettingType.duration().where(Duration::isPositive, "more than 0"),
                    "10s",
                    "How long secrets.command may take for all secrets of one server together; after"
                            + " that the run is killed, with all that it started.");
    static final Setting<Integer> COMMAND_PARALLEL =
            Setting.of(
                    "secrets.command-parallel",
                    SettingType.integer(1, 100),
                    "4",
                    "For how many servers it may run at the same time. Teams and users take turns; no"
                            + " team takes all.");
    static final Setting<Duration> COMMAND_REUSE =
            Setting.of(
                    "secrets.command-reuse",
                    SettingType.duration(),
                    "10s",
                    "How old a value of secrets.command may be that a request to a server over HTTP"
                            + " is sent with, a day at most; 0 runs it for each. Starts always run"
                            + " it, and so does a request that was refused with the value.");

    /** All keys, in the order of the reference page. */
    public static final SettingsSchema SCHEMA =
            SettingsSchema.of(
                            "secrets",
                            PROVIDER,
                            DIRECTORY,
                            COMMAND,
                            COMMAND_TIMEOUT,
                            COMMAND_PARALLEL,
                            COMMAND_REUSE)
                    .withRule(SecretSettings::hasCommand);

    private SecretSettings() {}

    private static @Nullable String hasCommand(Settings settings) {
        return settings.value(PROVIDER) == SecretProvider.COMMAND
                        && settings.valueOrNull(COMMAND) == null
                ? "secrets.provider=command needs secrets.command"
                : null;
    }

    /** Directory that files are read from; null where a program provides. */
    public static @Nullable Path directory(Settings settings) {
        return switch (settings.value(PROVIDER)) {
            case FILE -> settings.value(DIRECTORY);
            case COMMAND -> null;
        };
    }

    /** The options that the settings say. */
    public static SecretOptions read(Settings settings) {
        return new SecretOptions(
                settings.value(DIRECTORY),
                switch (settings.value(PROVIDER)) {
                    case FILE -> null;
                    case COMMAND -> settings.valueOrNull(COMMAND);
                },
                settings.value(COMMAND_TIMEOUT),
                settings.value(COMMAND_PARALLEL),
                settings.value(COMMAND_REUSE));
    }
}
