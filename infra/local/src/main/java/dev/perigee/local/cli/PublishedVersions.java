package dev.perigee.local.cli;

import dev.perigee.local.replay.PackageVersion;
import dev.perigee.part.CliException;
import dev.perigee.part.ExitCode;
import dev.perigee.protocol.json.InvalidRecordException;
import dev.perigee.protocol.json.Json;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** The versions of a package between two of them, in the order of {@code npm view}. */
final class PublishedVersions {
    private static final Duration PATIENCE = Duration.ofMinutes(1);
    private static final int MOST_BYTES = 16 << 20;

    private PublishedVersions() {}

    /** Asks npm, as it is set up here. */
    static List<String> between(String name, String good, String bad) throws InterruptedException {
        return narrowed(ofNpm(name), name, good, bad);
    }

    /** Versions made for trial only when they are named. */
    static List<String> narrowed(List<String> all, String name, String good, String bad) {
        int first = all.indexOf(good);
        int last = all.indexOf(bad);
        if (first < 0 || last < 0 || first > last) {
            throw CliException.usage(
                    name
                            + (first < 0
                                    ? " has no version " + good
                                    : last < 0
                                            ? " has no version " + bad
                                            : ": " + bad + " is older than " + good)
                            + ": see 'npm view "
                            + name
                            + " versions', or name them in their order by --versions");
        }
        var between = new ArrayList<String>();
        for (var version : all.subList(first, last + 1)) {
            boolean isNamed = version.equals(good) || version.equals(bad);
            if (isNamed || (PackageVersion.isVersion(version) && version.indexOf('-') < 0)) {
                between.add(version);
            }
        }
        return between;
    }

    private static List<String> ofNpm(String name) throws InterruptedException {
        try {
            var answer = Files.createTempFile("perigee-npm-", ".json");
            try {
                return read(answer, name);
            } finally {
                Files.deleteIfExists(answer);
            }
        } catch (IOException e) {
            throw unknown(name, String.valueOf(e.getMessage()));
        }
    }

    private static List<String> read(Path answer, String name)
            throws IOException, InterruptedException {
        var npm =
                new ProcessBuilder("npm", "view", "--json", "--", name, "versions")
                        .redirectOutput(answer.toFile())
                        .redirectError(ProcessBuilder.Redirect.DISCARD)
                        .start();
        npm.getOutputStream().close();
        if (!npm.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS)) {
            npm.descendants().forEach(ProcessHandle::destroyForcibly);
            npm.destroyForcibly();
            throw unknown(name, "npm view has not answered for " + PATIENCE.toSeconds() + " s");
        }
        if (npm.exitValue() != 0 || Files.size(answer) > MOST_BYTES) {
            throw unknown(name, "npm view knows no such package");
        }
        try {
            var told = Json.tree(Files.readAllBytes(answer));
            var versions = new ArrayList<String>();
            if (told.isString()) {
                versions.add(told.asString());
            }
            told.forEach(version -> versions.add(version.asString("")));
            return versions;
        } catch (InvalidRecordException e) {
            throw unknown(name, "npm view answers what is no JSON");
        }
    }

    private static CliException unknown(String name, String why) {
        return new CliException(
                ExitCode.UNAVAILABLE,
                "The versions of "
                        + name
                        + " are not known ("
                        + why
                        + "): name them in their order by --versions");
    }
}
