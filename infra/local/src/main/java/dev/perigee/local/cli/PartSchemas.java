package dev.perigee.local.cli;

import dev.perigee.local.broker.BrokerSettings;
import dev.perigee.part.gateway.GatewayCommand;
import dev.perigee.protocol.settings.SettingsSchema;
import dev.perigee.worker.WorkerSettings;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

/** Settings schemas of each kind of part. */
public final class PartSchemas {
    /** In the order of the reference page. */
    public static final Map<String, SettingsSchema> BY_KIND = byKind();

    private PartSchemas() {}

    private static Map<String, SettingsSchema> byKind() {
        var schemas = new LinkedHashMap<String, SettingsSchema>();
        schemas.put("gateway", GatewayCommand.SCHEMA);
        schemas.put("worker", WorkerSettings.SCHEMA);
        schemas.put("broker", BrokerSettings.SCHEMA);
        return Collections.unmodifiableMap(schemas);
    }
}
