package dev.perigee.gateway.admin;

import dev.perigee.protocol.settings.HostPort;
import dev.perigee.protocol.settings.Setting;
import dev.perigee.protocol.settings.SettingType;
import dev.perigee.protocol.settings.SettingsSchema;

/** The configuration of the gateway's HTTP face. */
public final class AdminSettings {
    public static final Setting<HostPort> LISTEN =
            Setting.of(
                    "admin.listen",
                    SettingType.hostPort(),
                    "127.0.0.1:7081",
                    "Where /health/live, /health/ready and /metrics are served, without"
                            + " authentication. Port 0 takes any free port.");

    public static final SettingsSchema SCHEMA = SettingsSchema.of("gateway", LISTEN);

    private AdminSettings() {}
}
