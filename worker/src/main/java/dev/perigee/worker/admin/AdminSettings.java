package dev.perigee.worker.admin;

import dev.perigee.protocol.settings.HostPort;
import dev.perigee.protocol.settings.Setting;
import dev.perigee.protocol.settings.SettingType;
import dev.perigee.protocol.settings.SettingsSchema;

/** The configuration keys of the admin server; part of the worker's. */
public final class AdminSettings {
    public static final Setting<HostPort> LISTEN =
            Setting.of(
                    "admin.listen",
                    SettingType.hostPort(),
                    "127.0.0.1:7071",
                    "Where health, metrics and debug pages are served, to everybody who can reach"
                            + " it. Port 0 takes any free one.");
    public static final Setting<Boolean> DEBUG =
            Setting.optional(
                    "admin.debug",
                    SettingType.bool(),
                    "Whether /debug/instances is served. Without it: yes in development, no in"
                            + " production.");

    public static final Setting<String> TOKEN =
            Setting.optional(
                            "admin.token",
                            SettingType.string(),
                            "Bearer token that a request must present to drain this worker or to"
                                    + " take that back. Without it nobody can over the network of"
                                    + " others: neither where admin.listen is more than loopback"
                                    + " nor where jailed servers have the host's network.")
                    .asSecret();

    /** All keys, in the order of the reference page. */
    public static final SettingsSchema SCHEMA = SettingsSchema.of("admin", LISTEN, DEBUG, TOKEN);

    private AdminSettings() {}
}
