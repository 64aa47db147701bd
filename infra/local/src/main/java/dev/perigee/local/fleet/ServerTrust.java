package dev.perigee.local.fleet;

import dev.perigee.protocol.settings.SettingsSchema;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Trust of a local fleet's workers in their servers: these are the user's own and have no jail, and
 * those over HTTP may be on this machine, unless the user chooses otherwise. Pure.
 *
 * @param settings what workers are given besides what the user chose
 * @param jailed whether servers have a jail
 */
public record ServerTrust(Map<String, String> settings, boolean jailed) {
    /** What a user of a fleet without jails has to know, one line. */
    public static final String UNJAILED =
            "Servers run without a jail, with your own rights: use only servers that you trust.";

    private static final String WORKER_MODE = "worker.mode";
    private static final String ISOLATION_MODE = "isolation.mode";
    private static final String DEVELOPMENT = "development";
    private static final String NONE = "none";
    private static final String EGRESS_ALLOW = "egress.allow";
    private static final String THIS_MACHINE = "127.0.0.0/8,::1";

    public ServerTrust {
        settings = Map.copyOf(settings);
    }

    /** By settings, and where those do not choose by environment variables. */
    static ServerTrust of(Map<String, String> settings, Map<String, String> environment) {
        var given = new HashMap<String, String>();
        var mode = chosen(WORKER_MODE, settings, environment);
        if (mode == null) {
            given.put(WORKER_MODE, DEVELOPMENT);
        }
        var isolation = chosen(ISOLATION_MODE, settings, environment);
        boolean development = mode == null || mode.equals(DEVELOPMENT);
        if (isolation == null && development) {
            given.put(ISOLATION_MODE, NONE);
            isolation = NONE;
        }
        if (development && chosen(EGRESS_ALLOW, settings, environment) == null) {
            given.put(EGRESS_ALLOW, THIS_MACHINE);
        }
        return new ServerTrust(given, !NONE.equals(isolation));
    }

    private static @Nullable String chosen(
            String key, Map<String, String> settings, Map<String, String> environment) {
        var setting = settings.get(key);
        var variable = environment.getOrDefault(SettingsSchema.variableOf(key), "");
        return setting != null || variable.isEmpty() ? setting : variable;
    }
}
