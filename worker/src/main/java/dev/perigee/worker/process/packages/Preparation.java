package dev.perigee.worker.process.packages;

import dev.perigee.worker.process.isolation.ServerProgram;
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
 * What is to be done for one program: whose package, by whom, and where it is kept. Pure.
 *
 * @param manager the package manager's program
 * @param globalConfig npm's for the machine, null when it is not known
 * @param environment what the package manager sees of the configured environment
 * @param searchPath the {@code PATH} of the configured program
 */
record Preparation(
        ServerProgram program,
        PackageLine line,
        Path manager,
        @Nullable Path globalConfig,
        Map<String, String> environment,
        String searchPath,
        PackageStore store) {
    private static final String ENV = "/usr/bin/env";
    private static final int NAME_LENGTH = 60;
    private static final int HASH_BYTES = 8;

    /** What distinguishes installations in a team's cache: the package, and where it comes from. */
    static String key(PackageLine line, Map<String, String> environment) {
        var readable =
                (line.manager().wireName() + '-' + line.spec())
                        .toLowerCase(Locale.ROOT)
                        .replaceAll("[^a-z0-9.]+", "-");
        var name = readable.substring(0, Math.min(readable.length(), NAME_LENGTH));
        return name + '-' + hash(line.spec() + environment);
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

    /** The package manager's run that makes this draft. */
    ServerProgram install(PackageStore.Draft draft) {
        return switch (line.manager()) {
            case NPM -> run(npm(draft), environment);
            case UV -> {
                var directed = new HashMap<>(environment);
                directed.put("UV_TOOL_DIR", draft.tools().toString());
                directed.put("UV_TOOL_BIN_DIR", draft.making().toString());
                directed.put("UV_NO_PROGRESS", "1");
                yield run(List.of(manager.toString(), "tool", "install", line.spec()), directed);
            }
        };
    }

    private List<String> npm(PackageStore.Draft draft) {
        var command = new ArrayList<>(List.of(manager.toString(), "install"));
        command.addAll(List.of("--prefix", draft.making().toString()));
        if (globalConfig != null && !isConfigured("npm_config_globalconfig")) {
            command.addAll(List.of("--globalconfig", globalConfig.toString()));
        }
        command.addAll(List.of("--no-audit", "--no-fund", "--no-update-notifier", "--no-progress"));
        command.addAll(List.of("--", line.spec()));
        return command;
    }

    private boolean isConfigured(String variable) {
        return environment.keySet().stream()
                .anyMatch(name -> name.replace('-', '_').equalsIgnoreCase(variable));
    }

    /** The run that removes these directories. */
    ServerProgram remove(List<Path> directories) {
        var command = new ArrayList<>(List.of("rm", "-rf", "--"));
        directories.forEach(directory -> command.add(directory.toString()));
        return run(command, Map.of());
    }

    /**
     * The server itself, without its wrapper. Like there, programs of its package come first in its
     * {@code PATH}; {@code env} says so inside a jail too, and is the server a moment later.
     */
    ServerProgram direct(PackageStore.Installed installed, Path found) {
        var file = installed.inside().resolve(found);
        var command = new ArrayList<String>();
        if (!searchPath.isEmpty() && file.toString().indexOf('=') < 0) {
            command.add(ENV);
            command.add("PATH=" + file.getParent() + File.pathSeparator + searchPath);
        }
        command.add(file.toString());
        command.addAll(line.arguments());
        return new ServerProgram(
                program.teamId(), program.runtime(), command, program.environment(), program.app());
    }

    private ServerProgram run(List<String> command, Map<String, String> variables) {
        return new ServerProgram(program.teamId(), program.runtime(), command, variables);
    }

    @Override
    public String toString() {
        return "Preparation[%s for %s]".formatted(line, program);
    }
}
