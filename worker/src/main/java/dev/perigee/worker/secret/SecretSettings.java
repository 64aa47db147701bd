package dev.perigee.worker.secret;

import dev.perigee.protocol.settings.Setting;
import dev.perigee.protocol.settings.SettingType;
import dev.perigee.protocol.settings.Settings;
import dev.perigee.protocol.settings.SettingsSchema;
import java.nio.file.Path;
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
                            + " files below secrets.directory.");
    static final Setting<Path> DIRECTORY =
            Setting.of(
                    "secrets.directory",
                    ABSOLUTE,
                    "/run/secrets/perigee",
                    "Directory of the provider file: a secret is the file TEAM/USER/NAME, by team_id"
                            + " and user_id of the configuration, in UTF-8, 64 KiB at most. It is"
                            + " read at each start of a process and for each request to a server"
                            + " over HTTP.");

    /** All keys, in the order of the reference page. */
    public static final SettingsSchema SCHEMA = SettingsSchema.of("secrets", PROVIDER, DIRECTORY);

    private SecretSettings() {}

    /** Directory that files are read from; null where a program provides. */
    public static @Nullable Path directory(Settings settings) {
        return switch (settings.value(PROVIDER)) {
            case FILE -> settings.value(DIRECTORY);
        };
    }

    /** The options that the settings say. */
    public static SecretOptions read(Settings settings) {
        return new SecretOptions(settings.value(DIRECTORY));
    }
}
