package dev.perigee.gateway.console;

import dev.perigee.protocol.settings.Setting;
import dev.perigee.protocol.settings.SettingType;
import dev.perigee.protocol.settings.SettingsSchema;
import java.time.Duration;

/** Configuration keys of the console; part of the gateway's. */
public final class ConsoleSettings {
    public static final Setting<Boolean> ENABLED =
            Setting.of(
                    "console.enabled",
                    SettingType.bool(),
                    "true",
                    "Whether the console is served at /console of admin.listen, to whoever may ask"
                            + " there.");
    public static final Setting<Duration> HISTORY =
            Setting.of(
                    "console.history",
                    SettingType.duration(),
                    "1h",
                    "How far back the console reads logs, calls and lifecycle events when somebody"
                            + " begins to watch.");
    public static final Setting<Long> MEMORY =
            Setting.of(
                    "console.memory",
                    SettingType.bytes().where(bytes -> bytes >= 1 << 20, "at least 1MiB"),
                    "32MiB",
                    "How much history the console keeps of all instances together, about; the"
                            + " oldest gives way.");
    public static final Setting<Integer> VIEWERS =
            Setting.of(
                    "console.max-viewers",
                    SettingType.integer(1, 1000),
                    "16",
                    "How many pages may watch at a time.");

    public static final SettingsSchema SCHEMA =
            SettingsSchema.of("gateway", ENABLED, HISTORY, MEMORY, VIEWERS);

    private ConsoleSettings() {}
}
