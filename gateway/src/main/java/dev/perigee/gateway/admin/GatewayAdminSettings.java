package dev.perigee.gateway.admin;

import dev.perigee.protocol.access.AdminAccess;
import dev.perigee.protocol.access.AdminAccessSettings;
import dev.perigee.protocol.settings.HostPort;
import dev.perigee.protocol.settings.Setting;
import dev.perigee.protocol.settings.SettingType;
import dev.perigee.protocol.settings.Settings;
import dev.perigee.protocol.settings.SettingsSchema;

/** Configuration keys of the gateway's admin server; part of the gateway's. */
public final class GatewayAdminSettings {
    public static final Setting<HostPort> LISTEN =
            Setting.of(
                    "admin.listen",
                    SettingType.hostPort(),
                    "127.0.0.1:7081",
                    "Where /health/live, /health/ready and /metrics are served. Port 0 takes any"
                            + " free port.");

    public static final SettingsSchema SCHEMA = AdminAccessSettings.schema("gateway", LISTEN);

    private GatewayAdminSettings() {}

    /** Who may see more than health. */
    public static AdminAccess access(Settings settings) {
        return AdminAccessSettings.read(settings, LISTEN, false);
    }
}
