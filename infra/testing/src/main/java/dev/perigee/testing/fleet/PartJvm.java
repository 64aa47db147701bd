package dev.perigee.testing.fleet;

import dev.perigee.testing.Checkout;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * JVM of a part of a fleet under test. A run of all tests starts hundreds: it has {@code
 * scripts/warm-up} note once what they load, as images do, and each takes a second less.
 */
public final class PartJvm {
    private static final String MAIN = "dev.perigee.local.cli.Perigee";
    private static final long WARM_UP_MINUTES = 5;

    /** The part that shares most with a command of which nothing is noted: a client of Kafka. */
    private static final String LIKE_OTHERS = "gateway";

    /** Whose classes are noted. */
    private static final List<String> PARTS =
            List.of(
                    "protocol",
                    "infra/tracing",
                    "infra/link",
                    "gateway",
                    "worker",
                    "infra/console",
                    "infra/part",
                    "infra/part-gateway",
                    "infra/part-worker",
                    "infra/local");

    private PartJvm() {}

    /** Prepared once in a JVM, by the first who asks. */
    private static final class Notes {
        private static final @Nullable Path DIRECTORY =
                Boolean.getBoolean("perigee.test.warm-up") ? prepare() : null;

        private static @Nullable Path prepare() {
            var local = Checkout.root().resolve("infra/local/target");
            var notes = local.resolve("aot");
            try (var lock =
                            FileChannel.open(
                                    local.resolve("warm-up.lock"),
                                    StandardOpenOption.CREATE,
                                    StandardOpenOption.WRITE);
                    var _ = lock.lock()) {
                return areFresh(notes) || warmUp(local) ? notes : null;
            } catch (IOException e) {
                throw new IllegalStateException("Parts cannot be warmed up", e);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new IllegalStateException(e);
            }
        }

        /** A build that compiled nothing writes its classpath anew all the same. */
        private static boolean areFresh(Path notes) throws IOException {
            var noted = notes.resolve("classpath");
            if (!Files.exists(noted)) {
                return false;
            }
            var since = Files.getLastModifiedTime(noted);
            for (var part : PARTS) {
                try (var classes = Files.walk(Checkout.root().resolve(part + "/target/classes"))) {
                    if (classes.anyMatch(file -> isNewer(file, since))) {
                        return false;
                    }
                }
            }
            // So that scripts/perigee takes them.
            Files.setLastModifiedTime(noted, FileTime.from(Instant.now()));
            return true;
        }

        private static boolean isNewer(Path file, FileTime since) {
            try {
                return Files.isRegularFile(file)
                        && Files.getLastModifiedTime(file).compareTo(since) > 0;
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        /** Without it parts start slower, and no test may tell. */
        private static boolean warmUp(Path local) throws IOException, InterruptedException {
            var log = local.resolve("warm-up.log").toFile();
            var script =
                    new ProcessBuilder(Checkout.root().resolve("scripts/warm-up").toString())
                            .redirectErrorStream(true)
                            .redirectOutput(log)
                            .start();
            script.getOutputStream().close();
            if (!script.waitFor(WARM_UP_MINUTES, TimeUnit.MINUTES)) {
                script.descendants().forEach(ProcessHandle::destroyForcibly);
                script.destroyForcibly();
                return false;
            }
            return script.exitValue() == 0;
        }
    }

    /** The program and its arguments, for a command that a test starts by itself. */
    public static List<String> command(List<String> arguments) throws IOException {
        return command(arguments, Part.HEAP_MEBIBYTES, null);
    }

    /**
     * The program and its arguments, for a command of the command line.
     *
     * @param heapMebibytes the most that its heap may be
     * @param classPath of another version, null for this one's
     */
    static List<String> command(
            List<String> arguments, int heapMebibytes, @Nullable String classPath)
            throws IOException {
        var command = new ArrayList<String>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(
                List.of(
                        "--enable-native-access=ALL-UNNAMED",
                        "--sun-misc-unsafe-memory-access=allow",
                        "-Xmx" + heapMebibytes + "m",
                        "-XX:+ExitOnOutOfMemoryError",
                        "-XX:+UseSerialGC",
                        "-XX:TieredStopAtLevel=1"));
        var notes = classPath == null ? Notes.DIRECTORY : null;
        if (classPath != null) {
            command.addAll(List.of("-cp", classPath));
        } else if (notes == null) {
            command.addAll(List.of("-cp", System.getProperty("java.class.path")));
        } else {
            Stream.of(arguments.getFirst(), LIKE_OTHERS)
                    .map(kind -> notes.resolve(kind + ".aot"))
                    .filter(Files::exists)
                    .findFirst()
                    .ifPresent(cache -> command.add("-XX:AOTCache=" + cache));
            command.addAll(List.of("-cp", Files.readString(notes.resolve("classpath")).strip()));
        }
        command.add(MAIN);
        command.addAll(arguments);
        return command;
    }
}
