package dev.perigee.local.cli;

import static java.nio.file.StandardCopyOption.REPLACE_EXISTING;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code scripts/perigee} in a checkout made for the test, with JDKs and Mavens that only talk. */
class LauncherTest {
    private static final Path SCRIPTS = Path.of("../../scripts").toAbsolutePath().normalize();

    private static final List<String> MODULES =
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

    @TempDir Path directory;
    private Path checkout;
    private Path tools;

    private record Run(int exitCode, String out, String err) {}

    @BeforeEach
    void prepareCheckout() throws IOException {
        checkout = Files.createDirectories(directory.resolve("a checkout"));
        tools = Files.createDirectories(directory.resolve("tools"));
        var scripts = Files.createDirectories(checkout.resolve("scripts"));
        executable(scripts.resolve("perigee"), Files.readString(SCRIPTS.resolve("perigee")));
        // Only what a test lays out may be found, whatever this machine has.
        executable(
                scripts.resolve("find-jdk25"),
                Files.readString(SCRIPTS.resolve("find-jdk25"))
                        .replace("/usr/lib/jvm/*", directory + "/jvm/*")
                        .replace("/opt/*jdk*", "")
                        .replace("/Library/Java/JavaVirtualMachines/*/Contents/Home", ""));
        for (var module : MODULES) {
            Files.createDirectories(checkout.resolve(module).resolve("src/main"));
            Files.createFile(checkout.resolve(module).resolve("pom.xml"));
        }
        Files.createFile(checkout.resolve("pom.xml"));
        for (var tool :
                List.of(
                        "bash",
                        "cat",
                        "dirname",
                        "env",
                        "find",
                        "flock",
                        "grep",
                        "mkdir",
                        "readlink",
                        "tail",
                        "touch")) {
            Files.createSymbolicLink(tools.resolve(tool), program(tool));
        }
    }

    @Test
    void explainsHowToGetAJdk() throws Exception {
        jdk("jvm/seventeen", "17.0.12");

        var run = run(Map.of());

        assertThat(run.exitCode()).isEqualTo(3);
        assertThat(run.err()).contains("needs a JDK 25", "JAVA25_HOME", "apt-get install");
    }

    @Test
    void prefersTheJdkItIsGivenButNotAnOldOne() throws Exception {
        built();
        jdk("jvm/found", "25.0.3");
        var given = jdk("given", "25.0.1");
        var old = jdk("old", "17.0.12");

        assertThat(run(Map.of("JAVA25_HOME", given.toString())).out()).contains(given + "/bin");
        assertThat(run(Map.of("JAVA_HOME", given.toString())).out()).contains(given + "/bin");
        assertThat(run(Map.of("JAVA25_HOME", old.toString())).out()).contains("jvm/found/bin");
    }

    @Test
    void passesArgumentsAndExitCodeOnFromAnywhere() throws Exception {
        built();
        jdk("jvm/found", "25");
        var link = Files.createSymbolicLink(directory.resolve("p"), script());

        var run = run(Map.of("PERIGEE_JAVA_OPTS", "-Dx=1 -Dy=2"), link, "call", "a b", "*");

        assertThat(run.exitCode()).isEqualTo(7);
        assertThat(run.err()).isEmpty();
        assertThat(run.out().lines())
                .containsSubsequence(
                        "-Dx=1",
                        "-Dy=2",
                        "-cp",
                        checkout + "/infra/local/target/classes:a.jar:b.jar",
                        "dev.perigee.local.cli.Perigee",
                        "call",
                        "a b",
                        "*");
    }

    @Test
    void givesACommandTheCacheOfItsKindOrOfClients() throws Exception {
        built();
        var jvm = jdk("jvm/found", "25");
        var target = checkout.resolve("infra/local/target");
        var caches = Files.createDirectories(target.resolve("aot"));
        Files.setLastModifiedTime(target.resolve("classpath"), FileTime.fromMillis(0));
        Files.writeString(caches.resolve("classpath"), "noted.jar");
        Files.copy(jvm.resolve("release"), caches.resolve("release"));
        for (var kind : List.of("client", "gateway")) {
            Files.writeString(caches.resolve(kind + ".aot"), "noted");
        }
        var old = Map.of("PERIGEE_NO_BUILD", "1");

        assertThat(run(old, script(), "call").out())
                .contains("-XX:AOTCache=" + caches + "/client.aot", "noted.jar")
                .contains("-Xlog:disable\n-Xlog:all=warning:stderr\n");
        assertThat(run(old, script(), "gateway").out())
                .contains("-XX:AOTCache=" + caches + "/gateway.aot");
        Files.writeString(jvm.resolve("release"), "JAVA_VERSION=\"25.0.4\"\n");
        assertThat(run(old, script(), "call").out()).doesNotContain("AOTCache", "-Xlog");
        Files.copy(jvm.resolve("release"), caches.resolve("release"), REPLACE_EXISTING);
        assertThat(run(old, script(), "call").out()).contains("AOTCache");
        Files.setLastModifiedTime(caches.resolve("classpath"), FileTime.fromMillis(0));
        assertThat(run(old, script(), "call").out()).doesNotContain("AOTCache");
    }

    @Test
    void buildsOnlyWhatIsStale() throws Exception {
        jdk("jvm/found", "25.0.3");
        executable(
                tools.resolve("mvn"),
                "#!/usr/bin/env bash\necho x > infra/local/target/classpath\necho \"$@\" >> mvn.log\n");

        assertThat(run(Map.of()).err()).contains("Building Perigee");
        assertThat(run(Map.of()).err()).isEmpty();
        Files.createFile(checkout.resolve("worker/src/main/New.java"));
        assertThat(run(Map.of("PERIGEE_NO_BUILD", "1")).err()).isEmpty();
        assertThat(run(Map.of()).err()).contains("Building Perigee");
        assertThat(Files.readString(checkout.resolve("mvn.log")).lines())
                .hasSize(2)
                .allMatch(line -> line.contains("process-classes -pl infra/local -am"));
    }

    @Test
    void showsWhyABuildFailed() throws Exception {
        jdk("jvm/found", "25.0.3");
        executable(
                tools.resolve("mvn"), "#!/usr/bin/env bash\necho a semicolon is missing\nexit 1\n");

        var run = run(Map.of());

        assertThat(run.exitCode()).isEqualTo(70);
        assertThat(run.err()).contains("a semicolon is missing", "build.log");
    }

    @Test
    void saysThatMavenIsMissing() throws Exception {
        jdk("jvm/found", "25.0.3");

        var run = run(Map.of());

        assertThat(run.exitCode()).isEqualTo(3);
        assertThat(run.err()).contains("Maven is missing");
    }

    private Path script() {
        return checkout.resolve("scripts/perigee");
    }

    /** A checkout whose build is newer than its sources. */
    private void built() throws IOException {
        var target = Files.createDirectories(checkout.resolve("infra/local/target"));
        Files.writeString(target.resolve("classpath"), "a.jar:b.jar");
    }

    /** A JDK whose java prints where it is and its arguments, one per line, and exits 7. */
    private Path jdk(String name, String version) throws IOException {
        var home = directory.resolve(name);
        Files.createDirectories(home.resolve("bin"));
        Files.writeString(home.resolve("release"), "JAVA_VERSION=\"" + version + "\"\n");
        executable(home.resolve("bin/javac"), "#!/usr/bin/env bash\n");
        executable(
                home.resolve("bin/java"),
                "#!/usr/bin/env bash\necho \"$0\"\nprintf '%s\\n' \"$@\"\nexit 7\n");
        return home;
    }

    private Run run(Map<String, String> environment) throws Exception {
        return run(environment, script());
    }

    private Run run(Map<String, String> environment, Path script, String... arguments)
            throws Exception {
        var out = directory.resolve("out");
        var err = directory.resolve("err");
        var builder =
                new ProcessBuilder(script.toString())
                        .directory(directory.toFile())
                        .redirectOutput(out.toFile())
                        .redirectError(err.toFile());
        builder.command().addAll(List.of(arguments));
        builder.environment().clear();
        builder.environment().put("PATH", tools.toString());
        builder.environment().put("HOME", directory.toString());
        builder.environment().putAll(environment);
        var process = builder.start();
        assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
        return new Run(process.exitValue(), text(out), text(err));
    }

    private static String text(Path file) throws IOException {
        return Files.readString(file, StandardCharsets.UTF_8);
    }

    private static void executable(Path file, String content) throws IOException {
        Files.writeString(file, content);
        assertThat(file.toFile().setExecutable(true)).isTrue();
    }

    private static Path program(String name) {
        for (var directory : List.of("/usr/bin", "/bin", "/usr/local/bin")) {
            var path = Path.of(directory, name);
            if (Files.isExecutable(path)) {
                return path;
            }
        }
        throw new IllegalStateException("This test needs " + name);
    }
}
