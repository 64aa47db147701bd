package dev.perigee.worker.process.packages;

import dev.perigee.worker.process.Tenant;
import dev.perigee.worker.process.isolation.CacheLayout;
import dev.perigee.worker.process.isolation.Home;
import dev.perigee.worker.process.isolation.HomePlace;
import dev.perigee.worker.process.isolation.Isolation;
import dev.perigee.worker.process.isolation.Mount;
import dev.perigee.worker.process.isolation.ServerProgram;
import dev.perigee.worker.process.isolation.ServerRuntime;
import dev.perigee.worker.process.packages.PackageStore.Draft;
import java.io.File;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Plan of the preparation for one program: which package, by which manager, and where it is kept.
 * Starts nothing, and touches no file but the draft's copy of the operator's configuration.
 *
 * @param manager the package manager's program
 * @param globalConfig npm's for the machine, null when it is not known
 * @param environment what the package manager sees of the configured environment
 * @param searchPath the {@code PATH} of the configured program
 * @param scripts whether programs of the package may run while it is installed
 * @param npmrc the operator's configuration for npm, null where it has none or may not be used
 */
record Preparation(
        ServerProgram program,
        PackageLine line,
        Path manager,
        @Nullable Path globalConfig,
        Map<String, String> environment,
        String searchPath,
        boolean scripts,
        @Nullable Path npmrc,
        PackageStore store,
        Isolation isolation) {
    /** What servers of all users may share, since nothing of a user's decided what it is. */
    private static final String SHARED = "shared";

    private static final Path MADE = Path.of("/package/made");
    private static final Path TOOLS = Path.of("/package/tools");
    private static final Path NPMRC = Path.of("/package/npmrc");
    private static final String ENV = "/usr/bin/env";
    private static final int NAME_LENGTH = 60;
    private static final int HASH_BYTES = 8;

    /**
     * A dependency that is a repository would be prepared by an npm of its own, which reads the
     * repository's .npmrc: that names programs and options to run. Older npm know no allow-git.
     */
    private static final List<String> NO_REPOSITORIES =
            List.of("--allow-git=none", "--git=/bin/false", "--node-options=--no-warnings");

    /**
     * Who shares an installation: all, unless a user's environment configures the package manager;
     * what that made, and what it was given to reach a registry, is that user's only.
     */
    static Path scope(Path packages, ServerProgram program, Map<String, String> environment) {
        if (environment.isEmpty()) {
            return packages.resolve(SHARED);
        }
        var own = packages.resolve("own");
        return switch (program.home()) {
            case Home.OfInstallation of ->
                    own.resolve(CacheLayout.name(of.teamId()))
                            .resolve(CacheLayout.name(of.userId()));
            case Home.OfWorker _, Home.Disused _ -> own.resolve("~worker");
        };
    }

    /** Where the installations of a package are. */
    static PackageStore store(
            Isolation isolation,
            ServerProgram program,
            PackageLine line,
            Map<String, String> environment,
            boolean scripts) {
        return new PackageStore(
                isolation.packages(),
                scope(isolation.packages(), program, environment),
                key(line, environment, scripts));
    }

    /** The same for the package as this commit of its repository has it. */
    Preparation at(GitSpec commit) {
        var pinned = line.at(commit);
        return new Preparation(
                program,
                pinned,
                manager,
                globalConfig,
                environment,
                searchPath,
                scripts,
                npmrc,
                store(isolation, program, pinned, environment, scripts),
                isolation);
    }

    /** Distinguishes installations: the package, where it comes from, and how it is installed. */
    static String key(PackageLine line, Map<String, String> environment, boolean scripts) {
        var readable =
                (line.manager().wireName() + '-' + line.identity())
                        .toLowerCase(Locale.ROOT)
                        .replaceAll("[^a-z0-9.]+", "-");
        var name = readable.substring(0, Math.min(readable.length(), NAME_LENGTH));
        return name + '-' + hash(line.identity() + environment + scripts);
    }

    private static String hash(String text) {
        try {
            var digest =
                    MessageDigest.getInstance("SHA-256")
                            .digest(text.getBytes(StandardCharsets.UTF_8));
            return HexFormat.of().formatHex(digest, 0, HASH_BYTES);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Whether its user's configuration decides what is installed from where. */
    boolean own() {
        return !environment.isEmpty();
    }

    /** Who waits for it. */
    Tenant tenant() {
        return program.home().tenant();
    }

    /** Whose package it is, in logs. */
    String team() {
        return program.home().owner();
    }

    /**
     * What makes this draft of a package of a registry, one after the other. Only the first reaches
     * a registry with credentials; what programs of the package run in has none.
     */
    List<InstallStep> install(Draft draft) {
        var steps = new ArrayList<InstallStep>();
        var tool = line.manager().wireName();
        switch (line.manager()) {
            case NPM -> {
                steps.add(new InstallStep(tool, () -> npm(draft, null)));
                if (scripts) {
                    steps.add(new InstallStep(tool, () -> npmScripts(draft)));
                }
            }
            case UV -> steps.add(new InstallStep(tool, () -> uv(draft, null)));
        }
        steps.add(new InstallStep(tool, () -> readable(draft)));
        return steps;
    }

    /** Lets servers read it, which are other users than who made it. */
    ServerProgram readable(Draft draft) {
        var made = isolation.mount(draft.making(), MADE, true);
        var tools = tools(draft);
        var command =
                List.of(
                        "chmod",
                        "-R",
                        "a+rX",
                        "--",
                        made.inside().toString(),
                        tools.inside().toString());
        return builder(draft.home(), program.runtime(), command, Map.of(), List.of(made, tools));
    }

    /**
     * Installs the package.
     *
     * @param archive the package itself, null where a registry has it
     */
    ServerProgram npm(Draft draft, @Nullable Mount archive) {
        var made = isolation.mount(draft.making(), MADE, true);
        return archive == null
                ? npm(draft, List.of(made), made.inside(), List.of("--", line.spec()))
                : npm(
                        draft,
                        List.of(made, archive),
                        made.inside(),
                        List.of("--save", "--", archive.inside().toString()));
    }

    /** Downloads into a directory, with credentials: nothing of what is downloaded runs. */
    ServerProgram npm(Draft draft, List<Mount> needed, Path prefix, List<String> what) {
        var mounts = new ArrayList<>(needed);
        var command = npm("install", prefix);
        command.add("--ignore-scripts");
        command.addAll(NO_REPOSITORIES);
        if (npmrc != null) {
            draft.keep(npmrc);
            var config = isolation.mount(draft.npmrc(), NPMRC, true);
            mounts.add(config);
            command.addAll(List.of("--userconfig", config.inside().toString()));
        }
        command.addAll(List.of("--no-audit", "--no-fund"));
        command.addAll(what);
        return builder(draft.home(), ServerRuntime.NODE, command, environment, mounts);
    }

    /** Has a home of its own: what npm kept in the other may name a registry's credentials. */
    ServerProgram npmScripts(Draft draft) {
        var made = isolation.mount(draft.making(), MADE, true);
        var command = npm("rebuild", made.inside());
        command.add("--ignore-scripts=false");
        // Without a jail it says where node is; in one it is dropped.
        var path = new HashMap<>(environment);
        path.keySet().retainAll(List.of("PATH"));
        return builder(draft.scriptsHome(), ServerRuntime.NODE, command, path, List.of(made));
    }

    /** A command of npm's that works in a directory. */
    List<String> npm(String what, Path prefix) {
        var command = new ArrayList<>(List.of(manager.toString(), what));
        command.addAll(List.of("--prefix", prefix.toString()));
        if (globalConfig != null) {
            command.addAll(List.of("--globalconfig", globalConfig.toString()));
        }
        command.addAll(List.of("--no-update-notifier", "--no-progress"));
        return command;
    }

    /**
     * Installs the package.
     *
     * @param archive the package itself, null where a registry has it
     */
    ServerProgram uv(Draft draft, @Nullable Mount archive) {
        var made = isolation.mount(draft.making(), MADE, true);
        var tools = tools(draft);
        var directed = directed(tools);
        directed.put("UV_TOOL_DIR", tools.inside().toString());
        directed.put("UV_TOOL_BIN_DIR", made.inside().toString());
        var mounts = new ArrayList<>(List.of(made, tools));
        var what = line.spec();
        if (archive != null) {
            mounts.add(archive);
            what = archive.inside().toString();
        }
        var command = new ArrayList<>(List.of(manager.toString(), "tool", "install", what));
        if (!scripts) {
            command.add("--no-build");
        }
        return builder(draft.home(), ServerRuntime.PYTHON, command, directed, mounts);
    }

    /** Where uv's programs refer to. */
    Mount tools(Draft draft) {
        return isolation.mount(draft.tools(), TOOLS, true);
    }

    /** What uv sees. */
    Map<String, String> directed(Mount tools) {
        var directed = new HashMap<>(environment);
        // Beside the tools that refer to it; the cache, in the home, is not there later.
        directed.put("UV_PYTHON_INSTALL_DIR", tools.inside().resolve(".python").toString());
        directed.put("UV_LINK_MODE", "copy");
        directed.put("UV_NO_PROGRESS", "1");
        return directed;
    }

    /** A program of the worker's own that makes something. */
    static ServerProgram builder(
            Path home,
            ServerRuntime runtime,
            List<String> command,
            Map<String, String> variables,
            List<Mount> mounts) {
        return new ServerProgram(
                new Home.OfWorker(home), runtime, command, variables, false, mounts);
    }

    /**
     * The server itself, without its wrapper. Like there, programs of its package come first in its
     * {@code PATH}; {@code env} says so inside a jail too, and is the server a moment later.
     *
     * @param actual the line with the name that the installed package has
     */
    ServerProgram direct(
            PackageStore.Installed installed, PackageLine actual, Path found, HomePlace home) {
        var made = isolation.mount(installed.made(), MADE, false);
        var file = made.inside().resolve(found);
        var command = new ArrayList<String>();
        if (!searchPath.isEmpty() && file.toString().indexOf('=') < 0) {
            command.add(ENV);
            command.add("PATH=" + file.getParent() + File.pathSeparator + searchPath);
        }
        command.add(file.toString());
        command.addAll(line.arguments());
        var mounts =
                switch (line.manager()) {
                    case NPM -> List.of(made);
                    case UV -> List.of(made, isolation.mount(installed.tools(), TOOLS, false));
                };
        var version = InstalledProgram.version(actual, installed.made());
        return new ServerProgram(
                program.home(),
                program.runtime(),
                command,
                DataInHome.with(program.environment(), actual, home.inside()),
                program.app(),
                mounts,
                version == null ? line.version() : version);
    }

    @Override
    public String toString() {
        return "Preparation[%s for %s]".formatted(line, program);
    }
}
