package dev.perigee.console;

import dev.perigee.gateway.GatewaySettings;
import dev.perigee.protocol.audit.ActionRole;
import dev.perigee.protocol.settings.Setting;
import dev.perigee.protocol.settings.SettingType;
import dev.perigee.protocol.settings.Settings;
import dev.perigee.protocol.settings.SettingsSchema;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

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

    public static final Setting<ActionRole> ROLE =
            Setting.of(
                    "console.role",
                    SettingType.oneOf(ActionRole.class),
                    "read",
                    "What those may do in the console who are let in by admin.token, or without"
                            + " one: see (read), act on installations and tools (operate), on"
                            + " workers, too (admin).");
    static final Setting<ConsoleTokens> TOKENS =
            Setting.optional(
                            "console.tokens",
                            new SettingType<>(
                                    "lines of NAME ROLE TOKEN with the roles read, operate and"
                                            + " admin, names and tokens each once, tokens of at"
                                            + " least 16 characters",
                                    ConsoleTokens::parse),
                            "Tokens of people who use the console, one a line: a name for the audit"
                                    + " topic, a role as in console.role, and the token. They open"
                                    + " nothing but the console.")
                    .asSecret();
    public static final Setting<String> WORKER_TOKEN =
            Setting.optional(
                            "console.worker-token",
                            SettingType.string(),
                            "The workers' admin.token, to drain them from the console. Without it"
                                    + " workers are drained that need none.")
                    .asSecret();

    static final SettingsSchema OWN =
            SettingsSchema.of(
                            "gateway",
                            ENABLED,
                            HISTORY,
                            MEMORY,
                            VIEWERS,
                            ROLE,
                            TOKENS,
                            WORKER_TOKEN)
                    .with(OidcSettings.SCHEMA);

    /** Every key that a gateway with a console knows. */
    public static final SettingsSchema SCHEMA =
            GatewaySettings.with(OWN).withRule(ConsoleSettings::unguarded);

    private ConsoleSettings() {}

    /** Null, or why the login by a provider could be left out. */
    private static @Nullable String unguarded(Settings settings) {
        return settings.value(ENABLED) ? OidcSettings.unguarded(settings) : null;
    }
}
