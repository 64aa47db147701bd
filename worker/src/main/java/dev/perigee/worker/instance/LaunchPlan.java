package dev.perigee.worker.instance;

import dev.perigee.protocol.config.ServerConfig;
import dev.perigee.worker.process.LaunchSpec;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What is started for a configuration, without isolation: the program with its arguments as a
 * vector, in the worker's own environment and the configured one. Perigee's own settings, among
 * them the link's token, are kept from it. Pure.
 *
 * <p>Source: seeds/process-management.txt, "Direct Spawn"; design/decisions.md, 22.
 */
final class LaunchPlan {
    private static final String OWN_PREFIX = "PERIGEE_";
    private static final String ANY = "*";

    private LaunchPlan() {}

    /** Why this configuration may not be started, null when it may. */
    static @Nullable String refusal(ServerConfig config, List<String> allowedCommands) {
        var command = config.command();
        if (command == null) {
            return "The configuration names no command";
        }
        if (!allowedCommands.contains(ANY) && !allowedCommands.contains(command)) {
            return "The command '%s' is not among process.allowed-commands".formatted(command);
        }
        for (var argument : config.args()) {
            if (argument.indexOf('\0') >= 0 || argument.indexOf('\n') >= 0) {
                return "An argument contains a NUL or a newline: remove it";
            }
        }
        for (var entry : config.env().entrySet()) {
            var name = entry.getKey();
            if (name.isEmpty() || name.indexOf('=') >= 0 || name.indexOf('\0') >= 0) {
                return "An environment variable's name is empty or contains '=' or a NUL: rename it";
            }
            if (entry.getValue().indexOf('\0') >= 0) {
                return "The environment variable %s contains a NUL: remove it".formatted(name);
            }
        }
        return null;
    }

    /** What to start, for a configuration that is not refused. */
    static LaunchSpec of(ServerConfig config, Map<String, String> workerEnvironment) {
        var command = new ArrayList<String>();
        if (config.command() != null) {
            command.add(config.command());
        }
        command.addAll(config.args());
        var environment = new HashMap<>(workerEnvironment);
        environment.keySet().removeIf(name -> name.startsWith(OWN_PREFIX));
        environment.putAll(config.env());
        return new LaunchSpec(command, environment, null);
    }
}
