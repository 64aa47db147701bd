package dev.perigee.testing.operate;

import dev.perigee.faults.Program;
import dev.perigee.testing.Checkout;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/**
 * A worker in a container that runc makes, without an engine and without an image: this machine's
 * system, read-only, is its root, and this checkout's classes are what runs. Its user and its
 * restrictions are those of the image and of the compose file's service.
 */
final class OciWorker implements AutoCloseable {
    private static final int USER = 10_001;
    private static final long PATIENCE_SECONDS = 30;
    private static final List<String> SYSTEM = List.of("/usr", "/etc");
    private static final List<String> LINKS = List.of("bin", "lib", "lib64", "sbin");
    private static final String CACHE = "/mcp-cache";
    private static final String PROFILE = "seccomp=";

    private final String id = "perigee-" + UUID.randomUUID();
    private final Path log;
    private final Process process;

    private OciWorker(Path directory) throws IOException {
        log = directory.resolve("worker.log");
        process =
                new ProcessBuilder(
                                Program.RUNC.path().toString(),
                                "run",
                                "--bundle",
                                directory.toString(),
                                id)
                        .redirectErrorStream(true)
                        .redirectOutput(log.toFile())
                        .start();
    }

    /**
     * Starts it and returns at once.
     *
     * @param directory empty, for its files
     * @param service of the compose file
     * @param settings of the worker, besides those of the service
     * @param shown what it can read where it is here
     */
    static OciWorker start(
            Path directory, JsonNode service, Map<String, String> settings, List<Path> shown)
            throws IOException, InterruptedException {
        var root = Files.createDirectory(directory.resolve("root"));
        for (var link : LINKS) {
            Files.createSymbolicLink(root.resolve(link), Path.of("usr", link));
        }
        var cache = Files.createDirectory(directory.resolve("cache"));
        Files.setAttribute(cache, "unix:uid", USER);
        var bundle = new JsonMapper().createObjectNode().put("ociVersion", "1.0.2");
        bundle.putObject("root").put("path", root.toString()).put("readonly", true);
        var places = new Places(bundle);
        SYSTEM.forEach(path -> places.show(Path.of(path), path, "ro"));
        shown.forEach(path -> places.show(path, path.toString(), "ro"));
        places.show(cache, CACHE, "rw");
        var command = command(places, directory, settings);
        process(bundle.putObject("process"), service, command);
        restrict(bundle.putObject("linux"), service);
        Files.writeString(directory.resolve("config.json"), bundle.toString());
        return new OciWorker(directory);
    }

    /** What of this machine is where in the container. */
    private static final class Places {
        private final ObjectNode bundle;

        Places(ObjectNode bundle) {
            this.bundle = bundle;
            file("proc", "/proc", List.of());
            file("tmpfs", "/dev", List.of("nosuid", "mode=755"));
            file("devpts", "/dev/pts", List.of("newinstance", "ptmxmode=0666", "mode=0620"));
            file("tmpfs", "/dev/shm", List.of());
            file("sysfs", "/sys", List.of("ro", "nosuid", "noexec", "nodev"));
            file("tmpfs", "/tmp", List.of("mode=1777", "exec"));
        }

        private void file(String type, String at, List<String> options) {
            var mount = bundle.withArray("mounts").addObject();
            mount.put("type", type).put("source", type).put("destination", at);
            options.forEach(mount.withArray("options")::add);
        }

        void show(Path host, String at, String mode) {
            var mount = bundle.withArray("mounts").addObject();
            mount.put("type", "bind").put("source", host.toString()).put("destination", at);
            mount.withArray("options").add("rbind").add(mode);
        }
    }

    private static List<String> command(Places places, Path directory, Map<String, String> settings)
            throws IOException, InterruptedException {
        var lib = Files.createDirectory(directory.resolve("lib"));
        var classpath = new ArrayList<String>();
        for (var entry : System.getProperty("java.class.path").split(File.pathSeparator, -1)) {
            if (Files.exists(Path.of(entry))) {
                var name = classpath.size() + (entry.endsWith(".jar") ? ".jar" : "");
                run("cp", "-r", entry, lib.resolve(name).toString());
                classpath.add("/opt/lib/" + name);
            }
        }
        // Whatever this user's umask is, another one reads them.
        run("chmod", "-R", "a+rX", lib.toString());
        places.show(lib, "/opt/lib", "ro");
        places.show(Path.of(System.getProperty("java.home")), "/opt/java", "ro");
        var command =
                new ArrayList<>(
                        List.of(
                                "/opt/java/bin/java",
                                "--enable-native-access=ALL-UNNAMED",
                                "--sun-misc-unsafe-memory-access=allow",
                                "-XX:TieredStopAtLevel=1",
                                "-Xmx256m",
                                "-cp",
                                String.join(File.pathSeparator, classpath),
                                "dev.perigee.local.cli.Perigee",
                                "worker"));
        new TreeMap<>(settings)
                .forEach((key, value) -> command.addAll(List.of("--set", key + "=" + value)));
        return command;
    }

    private static void process(ObjectNode process, JsonNode service, List<String> command) {
        process.put("cwd", "/tmp").put("noNewPrivileges", true);
        process.putObject("user").put("uid", USER).put("gid", USER);
        // As cap_drop: [ALL] leaves it.
        process.putObject("capabilities");
        command.forEach(process.putArray("args")::add);
        var environment = process.putArray("env").add("PATH=/usr/local/bin:/usr/bin:/bin");
        environment.add("HOME=/tmp");
        service.path("environment")
                .properties()
                .forEach(it -> environment.add(it.getKey() + "=" + it.getValue().asString()));
    }

    /** As the service's {@code security_opt} says; nothing of the system is masked. */
    private static void restrict(ObjectNode linux, JsonNode service) throws IOException {
        Stream.of("pid", "ipc", "uts", "mount", "cgroup")
                .forEach(type -> linux.withArray("namespaces").addObject().put("type", type));
        for (var option : Rules.list(service.path("security_opt"))) {
            var text = option.asString();
            if (text.startsWith(PROFILE)) {
                linux.set("seccomp", profile(text.substring(PROFILE.length())));
            }
        }
    }

    /** A profile that a compose file names; engines and runc take the same. */
    static JsonNode profile(String path) throws IOException {
        var file = Checkout.root().resolve("infra").resolve(path);
        return new JsonMapper().readTree(Files.readString(file));
    }

    /** Why no container can be made here, empty when one can. */
    static String missing() {
        return System.getProperty("user.name").equals("root") ? "" : "root, to make containers";
    }

    /** What it and runc wrote until now. */
    String log() {
        try {
            return Files.readString(log);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Ends it in order, or by force. */
    @Override
    public void close() {
        process.destroy();
        try {
            if (!process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
                remove();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } finally {
            process.destroyForcibly();
        }
    }

    private void remove() throws IOException, InterruptedException {
        run(Program.RUNC.path().toString(), "delete", "--force", id);
    }

    private static void run(String... command) throws IOException, InterruptedException {
        var process = new ProcessBuilder(command).inheritIO().start();
        if (!process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
            process.destroyForcibly();
            throw new IOException(command[0] + " did not end");
        }
        if (process.exitValue() != 0) {
            throw new IOException(command[0] + " ended with " + process.exitValue());
        }
    }
}
