package dev.perigee.protocol.access;

import dev.perigee.protocol.settings.HostPort;
import dev.perigee.protocol.settings.Setting;
import dev.perigee.protocol.settings.SettingType;
import dev.perigee.protocol.settings.Settings;
import dev.perigee.protocol.settings.SettingsSchema;
import org.jspecify.annotations.Nullable;

/** Configuration keys of access to admin pages, the same for every part; all are optional. */
public final class AdminAccessSettings {
    public static final Setting<String> TOKEN =
            Setting.optional(
                            "admin.token",
                            SettingType.string().where(token -> !token.isBlank(), "not blank"),
                            "Bearer token that requests to admin.listen must present, but for"
                                    + " health. Needed where admin.listen is more than loopback."
                                    + " Without it everybody on this machine may ask, or nobody"
                                    + " where jailed servers have its network.")
                    .asSecret();
    public static final Setting<Boolean> METRICS_OPEN =
            Setting.of(
                    "admin.metrics-open",
                    SettingType.bool(),
                    "false",
                    "Whether /metrics is answered without the token, too: for collectors that"
                            + " cannot present one. Metrics name no user.");

    private AdminAccessSettings() {}

    /** Both keys, and the rule that an address which others reach has a token. */
    public static SettingsSchema schema(String part, Setting<HostPort> listen) {
        return SettingsSchema.of(part, listen, TOKEN, METRICS_OPEN)
                .withRule(settings -> unguarded(settings, listen));
    }

    private static @Nullable String unguarded(Settings settings, Setting<HostPort> listen) {
        return settings.valueOrNull(TOKEN) == null && !settings.value(listen).isLoopback()
                ? TOKEN
                        + " must be set, or "
                        + TOKEN
                        + "-file, where "
                        + listen
                        + " is more than loopback: "
                        + settings.value(listen)
                : null;
    }

    /**
     * The access that the settings say.
     *
     * @param othersAreHere whether programs that nobody trusts reach this machine's loopback
     */
    public static AdminAccess read(
            Settings settings, Setting<HostPort> listen, boolean othersAreHere) {
        return new AdminAccess(
                settings.valueOrNull(TOKEN),
                settings.value(listen).isLoopback() && !othersAreHere,
                settings.value(METRICS_OPEN));
    }
}
