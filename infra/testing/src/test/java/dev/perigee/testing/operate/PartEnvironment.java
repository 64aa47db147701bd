package dev.perigee.testing.operate;

import dev.perigee.part.gateway.GatewayCommand;
import dev.perigee.protocol.settings.Settings;
import dev.perigee.protocol.settings.SettingsReader;
import dev.perigee.protocol.settings.SettingsSchema;
import dev.perigee.worker.WorkerSettings;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;

/** Reads a container's environment as the part in it will: what it does not know is an error. */
final class PartEnvironment {
    private static final String FILE = "_FILE";

    private PartEnvironment() {}

    /**
     * @param secret an existing file, read in place of those that the container has
     */
    static Settings read(String part, Map<String, String> environment, Path secret) {
        SettingsSchema schema =
                part.equals("gateway") ? GatewayCommand.SCHEMA : WorkerSettings.SCHEMA;
        var here = new TreeMap<>(environment);
        here.replaceAll((name, value) -> name.endsWith(FILE) ? secret.toString() : value);
        return new SettingsReader(schema).addEnvironment(here).read();
    }
}
