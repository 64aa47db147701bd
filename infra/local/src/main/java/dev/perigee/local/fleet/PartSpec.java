package dev.perigee.local.fleet;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Specification of one part of a fleet.
 *
 * @param name on the ready line and in logs, such as {@code gateway-1}
 * @param command the command that runs it, such as {@code gateway}
 * @param settings configuration keys, without secrets: they become arguments
 * @param environment variables on top of this JVM's own
 */
public record PartSpec(
        String name,
        String command,
        int heapMebibytes,
        Map<String, String> settings,
        Map<String, String> environment) {

    public PartSpec {
        settings = Map.copyOf(settings);
        environment = Map.copyOf(environment);
    }

    List<String> arguments() {
        var arguments = new ArrayList<>(List.of(command, "--name", name, "--end-with-stdin"));
        new TreeMap<>(settings)
                .forEach((key, value) -> arguments.addAll(List.of("--set", key + "=" + value)));
        return arguments;
    }
}
