package dev.perigee.faults;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.TestInfo;

/**
 * A program that some tests need and README does not name. Where it is missing they are skipped
 * with one line that names it; with its variable set to 1 they fail instead. Tests name it by
 * {@link NeedsProgram}.
 */
public enum Program {
    /** Reads profiles of AppArmor. */
    APPARMOR_PARSER(
            "apparmor_parser", "apt-get install apparmor", "APPARMOR_REQUIRED", "apparmor_parser"),
    /** Makes jails. */
    BUBBLEWRAP("bwrap", "apt-get install bubblewrap", "JAIL_REQUIRED", "bwrap"),
    /** A shell that images of containers have. */
    BUSYBOX("busybox", "apt-get install busybox", "BUSYBOX_REQUIRED", "busybox"),
    /** Compiles the smallest of servers. */
    CC("cc", "apt-get install gcc libc6-dev", "CC_REQUIRED", "cc"),
    /** The browser of the console's tests. */
    CHROMIUM(
            "chromium",
            "apt-get install chromium",
            "CHROMIUM_REQUIRED",
            "chromium chromium-browser google-chrome"),
    /** Reads compose files. */
    COMPOSE(
            "docker compose",
            "apt-get install docker-compose, or Docker's docker-compose-plugin",
            "COMPOSE_REQUIRED",
            "docker") {
        @Override
        boolean works(Path program) {
            return succeeds(List.of(program.toString(), "compose", "version"));
        }
    },
    /** In command lines of the documentation. */
    CURL("curl", "apt-get install curl", "DOCUMENTATION_REQUIRED", "curl"),
    /** Deploys servers by commit. */
    GIT("git", "apt-get install git", "GIT_REQUIRED", "git"),
    /**
     * Makes jails, too. Debian has none: the variable {@code NSJAIL} is the path of one, which is
     * then required and the only one that is tried.
     */
    NSJAIL(
            "nsjail",
            "https://github.com/google/nsjail, see scripts/nsjail-from-source",
            "NSJAIL",
            "nsjail"),
    /** Strips the Java runtime of images. */
    OBJCOPY("objcopy", "apt-get install binutils", "DOCUMENTATION_REQUIRED", "objcopy"),
    /** In command lines of the documentation. */
    OPENSSL("openssl", "apt-get install openssl", "DOCUMENTATION_REQUIRED", "openssl"),
    /** The server of the metrics' tests. */
    PROMETHEUS("prometheus", "apt-get install prometheus", "PROMETHEUS_REQUIRED", "prometheus"),
    /** Tries alerts and configurations. */
    PROMTOOL("promtool", "apt-get install prometheus", "PROMETHEUS_REQUIRED", "promtool"),
    /** Makes containers, without an engine. */
    RUNC("runc", "apt-get install runc", "RUNC_REQUIRED", "runc"),
    /** Debian's, which jails show, whichever comes first in PATH. */
    PYTHON("/usr/bin/python3", "apt-get install python3", "PYTHON_REQUIRED", "/usr/bin/python3"),
    /** Debian's with a Kafka client. */
    PYTHON_KAFKA(
            "confluent_kafka of /usr/bin/python3",
            "apt-get install python3-confluent-kafka",
            "PYTHON_KAFKA_REQUIRED",
            "/usr/bin/python3") {
        @Override
        boolean works(Path program) {
            return succeeds(List.of(program.toString(), "-c", "import confluent_kafka"));
        }
    };

    private static final List<String> SYSTEM =
            List.of("/usr/bin", "/bin", "/usr/sbin", "/sbin", "/usr/local/bin");
    private static final long PATIENCE_SECONDS = 60;

    private final String what;
    private final String source;
    private final String variable;
    private final String files;

    /**
     * @param what it is called in messages
     * @param source where to get it
     * @param variable makes it required
     * @param files its names, the first that is found counts
     */
    Program(String what, String source, String variable, String files) {
        this.what = what;
        this.source = source;
        this.variable = variable;
        this.files = files;
    }

    /** Why tests that need it are skipped, in one line; null where it is there and works. */
    public @Nullable String missing() {
        return missing(find());
    }

    @Nullable String missing(List<String> directories) {
        return missing(find(directories));
    }

    private @Nullable String missing(@Nullable Path program) {
        return program != null && works(program) ? null : "needs %s (%s)".formatted(what, source);
    }

    /** Whether a test that needs it fails without it. */
    public boolean isRequired() {
        return Skipped.isRequired(variable);
    }

    /**
     * Goes on where it is there, for tests that know only when they run what they need.
     *
     * @param test has the tag, see {@link NeedsProgram#TAG}: the run on a bare machine finds it
     */
    public void require(TestInfo test) {
        if (!test.getTags().contains(NeedsProgram.TAG)) {
            throw new AssertionError(
                    "%s needs @Tag(NeedsProgram.TAG)".formatted(test.getDisplayName()));
        }
        var missing = missing();
        if (missing != null) {
            Skipped.because(missing, variable);
        }
    }

    /**
     * Skips or fails the test that runs, as where the program is missing: it is there, and does not
     * do what it is for on this machine.
     */
    public void cannot(String reason) {
        Skipped.because("needs %s that works here: %s".formatted(what, reason), variable);
    }

    /** Where it is. */
    public Path path() {
        var program = find();
        if (program == null) {
            throw new IllegalStateException(missing());
        }
        return program;
    }

    /** Where programs are looked for: as a worker looks for those that make jails. */
    private static List<String> directories() {
        var path = Objects.requireNonNullElse(System.getenv("PATH"), "");
        return Stream.concat(Stream.of(path.split(":")), SYSTEM.stream()).toList();
    }

    private @Nullable Path find() {
        var named = System.getenv(variable);
        return named != null && named.startsWith("/") ? named(Path.of(named)) : find(directories());
    }

    private static @Nullable Path named(Path file) {
        return Files.isRegularFile(file) && Files.isExecutable(file) ? file : null;
    }

    private @Nullable Path find(List<String> directories) {
        return directories.stream()
                .flatMap(directory -> Stream.of(files.split(" ")).map(Path.of(directory)::resolve))
                .filter(Path::isAbsolute)
                .filter(file -> Files.isRegularFile(file) && Files.isExecutable(file))
                .findFirst()
                .orElse(null);
    }

    /** Whether the program that was found is the one. */
    boolean works(Path program) {
        return true;
    }

    private static boolean succeeds(List<String> command) {
        try {
            var process =
                    new ProcessBuilder(command)
                            .redirectErrorStream(true)
                            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                            .start();
            try {
                process.getOutputStream().close();
                return process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)
                        && process.exitValue() == 0;
            } finally {
                process.destroyForcibly();
            }
        } catch (IOException e) {
            return false;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }
}
