package dev.perigee.worker.instance;

import dev.perigee.protocol.config.SecretReference;
import dev.perigee.protocol.config.ServerConfig;
import dev.perigee.worker.process.isolation.Home;
import dev.perigee.worker.process.isolation.ServerProgram;
import dev.perigee.worker.process.isolation.ServerRuntime;
import dev.perigee.worker.process.packages.GitHubArguments;
import dev.perigee.worker.process.packages.PackagePreparer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Launch of a configuration: the program, its arguments as a vector that no shell ever sees, and
 * its own environment. An argument may contain anything but a NUL or a newline. Pure.
 */
final class LaunchPlan {
    private static final String ANY = "*";
    private static final String GITHUB = "github";

    private LaunchPlan() {}

    /**
     * Why this configuration may not be started, null when it may.
     *
     * @param holdsReach whether the worker keeps a process to its list of destinations
     */
    static @Nullable String refusal(
            ServerConfig config, List<String> allowedCommands, boolean holdsReach) {
        var command = config.command();
        if (command == null) {
            return "The configuration names no command";
        }
        if (!allowedCommands.contains(ANY) && !allowedCommands.contains(command)) {
            return "The command '%s' is not among process.allowed-commands".formatted(command);
        }
        if (config.egress() != null && !holdsReach) {
            return "config.egress does not hold a process that has the network of its worker:"
                    + " remove it, or run workers with isolation.network=policy";
        }
        for (var argument : GitHubArguments.of(config)) {
            if (argument.indexOf('\0') >= 0 || argument.indexOf('\n') >= 0) {
                return "An argument or the commit contains a NUL or a newline: remove it";
            }
        }
        for (var entry : config.env().entrySet()) {
            var name = entry.getKey();
            if (name.isEmpty() || name.indexOf('=') >= 0 || name.indexOf('\0') >= 0) {
                return "An environment variable's name is empty or contains '=' or a NUL: rename it";
            }
            if (entry.getValue().indexOf('\0') >= 0
                    && SecretReference.in(entry.getValue()) == null) {
                return "The environment variable %s contains a NUL: remove it".formatted(name);
            }
        }
        return null;
    }

    /** What to start, for a configuration that is not refused and has no references. */
    static ServerProgram of(ServerConfig config) {
        return of(config, config.env());
    }

    /**
     * The same of a configuration that nobody resolved, for its package only: without the variables
     * that are references. Null where its package manager would need one of them.
     */
    static @Nullable ServerProgram withoutSecrets(ServerConfig config) {
        var env = new TreeMap<>(config.env());
        env.values().removeIf(value -> SecretReference.in(value) != null);
        boolean needed =
                config.env().keySet().stream()
                        .anyMatch(name -> !env.containsKey(name) && PackagePreparer.reads(name));
        return needed ? null : of(config, env);
    }

    private static ServerProgram of(ServerConfig config, Map<String, String> env) {
        var program = config.command() == null ? "" : config.command();
        var command = new ArrayList<String>();
        command.add(program);
        command.addAll(GitHubArguments.of(config));
        return new ServerProgram(
                home(config),
                ServerRuntime.of(config.runtime(), program),
                command,
                env,
                GITHUB.equals(config.source()),
                List.of());
    }

    /** The home of this configuration's server. */
    static Home.OfInstallation home(ServerConfig config) {
        return new Home.OfInstallation(config.teamId(), config.userId(), config.installationId());
    }
}
