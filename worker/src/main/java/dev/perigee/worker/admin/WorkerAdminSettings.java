package dev.perigee.worker.admin;

import dev.perigee.protocol.access.AdminAccess;
import dev.perigee.protocol.access.AdminAccessSettings;
import dev.perigee.protocol.settings.HostPort;
import dev.perigee.protocol.settings.Setting;
import dev.perigee.protocol.settings.SettingType;
import dev.perigee.protocol.settings.Settings;
import dev.perigee.protocol.settings.SettingsSchema;

/** The configuration keys of the admin server; part of the worker's. */
public final class WorkerAdminSettings {
    public static final Setting<HostPort> LISTEN =
            Setting.of(
                    "admin.listen",
                    SettingType.hostPort(),
                    "127.0.0.1:7071",
                    "Where /health/live, /health/ready, /metrics, /debug/instances and /drain are"
                            + " served. Port 0 takes any free one.");
    public static final Setting<Boolean> DEBUG =
            Setting.optional(
                    "admin.debug",
                    SettingType.bool(),
                    "Whether /debug/instances is served. Without it: yes in development, no in"
                            + " production.");

    /** All keys, in the order of the reference page. */
    public static final SettingsSchema SCHEMA =
            AdminAccessSettings.schema("admin", LISTEN).with(SettingsSchema.of("admin", DEBUG));

    private WorkerAdminSettings() {}

    /**
     * Who may see more than health, and drain the worker.
     *
     * @param serversReachIt whether servers of other people have this machine's network
     */
    public static AdminAccess access(Settings settings, boolean serversReachIt) {
        return AdminAccessSettings.read(settings, LISTEN, serversReachIt);
    }
}
