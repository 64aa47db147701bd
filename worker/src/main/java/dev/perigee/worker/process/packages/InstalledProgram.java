package dev.perigee.worker.process.packages;

import dev.perigee.protocol.json.InvalidRecordException;
import dev.perigee.protocol.json.Json;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * Finds in an installation the program that the wrapper would run: of npm's package the one that
 * the line names, else the only one, else the one that is named like the package; of uv's the one
 * of the name. Null is the answer wherever that is not certain. Nothing changes an installation any
 * more, but install scripts may have put links and pipes into it: what leads out of it is not read.
 *
 * <p>Source: npm's manual page npx(1), "npx vs npm exec".
 */
final class InstalledProgram {
    private static final int LARGEST_MANIFEST = 1 << 20;
    private static final Path BIN = Path.of("node_modules", ".bin");
    private static final Pattern NAME =
            Pattern.compile("(?:@%1$s/)?%1$s".formatted("[A-Za-z0-9~_][A-Za-z0-9._~-]*"));
    private static final Pattern TOOL = Pattern.compile("[a-z0-9][a-z0-9._-]*");

    private InstalledProgram() {}

    /** The program's place in the installation. */
    static @Nullable Path find(PackageLine line, Path installation) {
        return switch (line.manager()) {
            case NPM -> ofNpm(line, installation);
            case UV -> ofUv(line, installation);
        };
    }

    /**
     * The line with the name that its package turned out to have, which a repository does not say
     * beforehand; null where that cannot be told.
     */
    static @Nullable PackageLine actual(PackageLine line, PackageStore.Installed installed) {
        if (line.git() == null) {
            return line;
        }
        var name =
                switch (line.manager()) {
                    case NPM -> ofOnlyDependency(installed.made());
                    case UV -> ofOnlyTool(installed.tools());
                };
        return name == null ? null : line.named(name);
    }

    private static @Nullable String ofOnlyDependency(Path installation) {
        var manifest = read(installation, Path.of("package.json"));
        var needed = manifest == null ? null : manifest.get("dependencies");
        if (needed == null || needed.size() != 1) {
            return null;
        }
        var name = needed.properties().iterator().next().getKey();
        return NAME.matcher(name).matches() ? name : null;
    }

    private static @Nullable String ofOnlyTool(Path tools) {
        try (var found = Files.list(tools)) {
            var names =
                    found.map(tool -> tool.getFileName().toString())
                            .filter(name -> TOOL.matcher(name).matches())
                            .limit(2)
                            .toList();
            return names.size() == 1 ? names.getFirst() : null;
        } catch (IOException e) {
            return null;
        }
    }

    /** The version that was installed, null where it cannot be told. */
    static @Nullable String version(PackageLine line, Path installation) {
        var manifest = line.manager() == PackageManager.NPM ? manifest(line, installation) : null;
        var version = manifest == null ? null : manifest.get("version");
        if (version == null || !version.isString()) {
            return null;
        }
        var git = line.git();
        return git == null ? version.asString() : version.asString() + '+' + git.brief();
    }

    private static @Nullable Path ofUv(PackageLine line, Path installation) {
        var name = line.program() == null ? line.name() : line.program();
        // A link to where only enclosed programs see something.
        return Files.exists(installation.resolve(name), LinkOption.NOFOLLOW_LINKS)
                ? Path.of(name)
                : null;
    }

    private static @Nullable Path ofNpm(PackageLine line, Path installation) {
        var manifest = manifest(line, installation);
        var programs = manifest == null ? Map.<String, String>of() : programs(manifest, line);
        var name = line.program() == null ? chosen(programs, line) : line.program();
        var script = name == null ? null : programs.get(name);
        if (script == null) {
            return null;
        }
        var link = BIN.resolve(name);
        try {
            var linked = below(installation, link);
            // Another package's program of that name may have taken the place.
            return linked.equals(below(installation, folder(line).resolve(script))) && runs(linked)
                    ? link
                    : null;
        } catch (IOException | InvalidPathException e) {
            return null;
        }
    }

    private static @Nullable String chosen(Map<String, String> programs, PackageLine line) {
        if (programs.isEmpty()) {
            return null;
        }
        if (new HashSet<>(programs.values()).size() == 1) {
            return programs.keySet().iterator().next();
        }
        var named = unscoped(line.name());
        return programs.containsKey(named) ? named : null;
    }

    private static Map<String, String> programs(JsonNode manifest, PackageLine line) {
        var bin = manifest.get("bin");
        var programs = new TreeMap<String, String>();
        if (bin != null && bin.isString()) {
            programs.put(unscoped(line.name()), bin.asString());
        } else if (bin != null && bin.isObject()) {
            for (var entry : bin.properties()) {
                if (!entry.getValue().isString() || entry.getKey().indexOf('/') >= 0) {
                    return Map.of();
                }
                programs.put(entry.getKey(), entry.getValue().asString());
            }
        }
        return programs;
    }

    private static String unscoped(String name) {
        return name.substring(name.indexOf('/') + 1);
    }

    private static Path folder(PackageLine line) {
        return Path.of("node_modules").resolve(line.name());
    }

    private static @Nullable JsonNode manifest(PackageLine line, Path installation) {
        return read(installation, folder(line).resolve("package.json"));
    }

    private static @Nullable JsonNode read(Path installation, Path manifest) {
        try {
            var file = below(installation, manifest);
            if (!Files.isRegularFile(file)) {
                return null;
            }
            try (var content = Files.newInputStream(file)) {
                var read = Json.tree(content.readNBytes(LARGEST_MANIFEST));
                return read.isObject() ? read : null;
            }
        } catch (IOException | InvalidRecordException e) {
            return null;
        }
    }

    /**
     * The place itself, without links.
     *
     * @throws IOException when nothing is there, or a link leads out of the installation
     */
    private static Path below(Path installation, Path relative) throws IOException {
        var real = installation.resolve(relative).toRealPath();
        if (!real.startsWith(installation.toRealPath())) {
            throw new NoSuchFileException(relative.toString(), null, "leads elsewhere");
        }
        return real;
    }

    /** Whether the system itself knows how to run it: an interpreter's line, or a binary. */
    private static boolean runs(Path file) throws IOException {
        if (!Files.isRegularFile(file) || !Files.isExecutable(file)) {
            return false;
        }
        try (var content = Files.newInputStream(file)) {
            var head = content.readNBytes(4);
            return head.length == 4
                    && ((head[0] == '#' && head[1] == '!')
                            || (head[0] == 0x7f && head[1] == 'E' && head[2] == 'L'));
        }
    }
}
