package dev.perigee.testing.operate;

import dev.perigee.faults.Program;
import dev.perigee.testing.Checkout;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/**
 * A worker's container that runc makes, without an engine and without an image: this machine's
 * system, read-only, is its root, and this checkout's classes are what runs. Its user and its
 * restrictions are those of the image and of the compose file's service.
 */
final class OciContainer implements AutoCloseable {
    static final long USER = 10_001;
    private static final long PATIENCE_SECONDS = 30;
    private static final List<String> SYSTEM = List.of("/usr", "/etc");
    private static final List<String> LINKS = List.of("bin", "lib", "lib64", "sbin");
    static final String CACHE = "/mcp-cache";
    private static final String PROFILE = "seccomp=";

    /** Here nothing of the system is masked, and a profile of AppArmor is ignored as by Docker. */
    private static final Set<String> NOTHING_TO_DO =
            Set.of("systempaths=unconfined", "apparmor=perigee-worker");

    private static final List<String> NAMESPACES = List.of("pid", "ipc", "uts", "mount", "cgroup");

    private final String id = "perigee-" + UUID.randomUUID();
    private final Path log;
    private final Process process;

    private OciContainer(Path directory) throws IOException {
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
     * Starts a worker in one, on this machine's network, and returns at once.
     *
     * @param settings of the worker, besides those of the service
     */
    static OciContainer worker(
            Path directory, JsonNode service, Map<String, String> settings, List<Path> shown)
            throws IOException, InterruptedException {
        var arguments = new ArrayList<>(List.of("dev.perigee.local.cli.Perigee", "worker"));
        new TreeMap<>(settings)
                .forEach((key, value) -> arguments.addAll(List.of("--set", key + "=" + value)));
        return program(directory, service, arguments, shown);
    }

    /**
     * Starts another program of the tests' classes in one, likewise.
     *
     * @param directory empty, for its files
     * @param service of the compose file
     * @param program class and arguments
     * @param shown what it can read where it is here
     */
    static OciContainer program(
            Path directory, JsonNode service, List<String> program, List<Path> shown)
            throws IOException, InterruptedException {
        var root = Files.createDirectory(directory.resolve("root"));
        for (var link : LINKS) {
            Files.createSymbolicLink(root.resolve(link), Path.of("usr", link));
        }
        var cache = Files.createDirectory(directory.resolve("cache"));
        Files.setAttribute(cache, "unix:uid", (int) USER);
        var bundle = new JsonMapper().createObjectNode().put("ociVersion", "1.0.2");
        bundle.putObject("root")
                .put("path", root.toString())
                .put("readonly", service.path("read_only").asBoolean());
        var places = new Places(bundle, MonitoringRules.list(service.path("tmpfs")));
        SYSTEM.forEach(path -> places.show(Path.of(path), path, "ro"));
        shown.forEach(path -> places.show(path, path.toString(), "ro"));
        places.show(cache, CACHE, "rw");
        var command = command(places, directory, program);
        process(bundle.putObject("process"), service, command);
        var linux = bundle.putObject("linux");
        NAMESPACES.forEach(type -> linux.withArray("namespaces").addObject().put("type", type));
        restrict(bundle, service);
        Files.writeString(directory.resolve("config.json"), bundle.toString());
        return new OciContainer(directory);
    }

    /** What of this machine is where in the container. */
    private static final class Places {
        private final ObjectNode bundle;

        Places(ObjectNode bundle, List<JsonNode> temporary) {
            this.bundle = bundle;
            file("proc", "/proc", List.of());
            file("tmpfs", "/dev", List.of("nosuid", "mode=755"));
            file("devpts", "/dev/pts", List.of("newinstance", "ptmxmode=0666", "mode=0620"));
            file("tmpfs", "/dev/shm", List.of("nosuid", "nodev", "noexec", "mode=1777"));
            file("sysfs", "/sys", List.of("ro", "nosuid", "noexec", "nodev"));
            file("cgroup", "/sys/fs/cgroup", List.of("ro", "nosuid", "noexec", "nodev"));
            for (var mount : temporary) {
                var words = new ArrayList<>(List.of(mount.asString().split("[:,]")));
                var at = words.removeFirst();
                words.addAll(List.of("nosuid", "nodev", "mode=1777"));
                file("tmpfs", at, words);
            }
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

    private static List<String> command(Places places, Path directory, List<String> program)
            throws IOException, InterruptedException {
        var lib = Files.createDirectory(directory.resolve("lib"));
        var classpath = new ArrayList<String>();
        for (var entry : System.getProperty("java.class.path").split(File.pathSeparator, -1)) {
            var here = Path.of(entry);
            if (Files.exists(here)) {
                var name = classpath.size() + (entry.endsWith(".jar") ? ".jar" : "");
                var there = "/opt/lib/" + name;
                places.show(isForAll(here) ? here : copy(here, lib.resolve(name)), there, "ro");
                classpath.add(there);
            }
        }
        places.show(Path.of(System.getProperty("java.home")), "/opt/java", "ro");
        var command =
                new ArrayList<>(
                        List.of(
                                "/opt/java/bin/java",
                                "--enable-native-access=ALL-UNNAMED",
                                "--sun-misc-unsafe-memory-access=allow",
                                "-XX:TieredStopAtLevel=1",
                                "-XX:+UseSerialGC",
                                "-Xmx256m",
                                "-cp",
                                String.join(File.pathSeparator, classpath)));
        command.addAll(program);
        return command;
    }

    /** Directories above it matter to nobody in the container. */
    private static boolean isForAll(Path top) throws IOException {
        try (var files = Files.walk(top)) {
            for (var file : files.toList()) {
                var rights = Files.getPosixFilePermissions(file);
                if (!rights.contains(PosixFilePermission.OTHERS_READ)
                        || (Files.isDirectory(file)
                                && !rights.contains(PosixFilePermission.OTHERS_EXECUTE))) {
                    return false;
                }
            }
        }
        return true;
    }

    /** Where this user's umask keeps others from reading. */
    private static Path copy(Path from, Path to) throws IOException, InterruptedException {
        run("cp", "-r", from.toString(), to.toString());
        run("chmod", "-R", "a+rX", to.toString());
        return to;
    }

    private static void process(ObjectNode process, JsonNode service, List<String> command) {
        process.put("cwd", "/tmp");
        process.putObject("user").put("uid", USER).put("gid", USER);
        command.forEach(process.putArray("args")::add);
        var environment = process.putArray("env").add("PATH=/usr/local/bin:/usr/bin:/bin");
        environment.add("HOME=/tmp");
        service.path("environment")
                .properties()
                .forEach(it -> environment.add(it.getKey() + "=" + it.getValue().asString()));
    }

    /** As the service says; what it says and this does not know is an error. */
    private static void restrict(ObjectNode bundle, JsonNode service) throws IOException {
        var process = (ObjectNode) bundle.path("process");
        var linux = (ObjectNode) bundle.path("linux");
        for (var option : MonitoringRules.list(service.path("security_opt"))) {
            var text = option.asString();
            if (text.startsWith(PROFILE)) {
                linux.set("seccomp", profile(text.substring(PROFILE.length())));
            } else if (text.equals("no-new-privileges=true")) {
                process.put("noNewPrivileges", true);
            } else if (!NOTHING_TO_DO.contains(text)) {
                throw new IllegalArgumentException("Unknown to these tests: " + text);
            }
        }
        var dropped = MonitoringRules.list(service.path("cap_drop")).toString();
        if (!dropped.equals("[\"ALL\"]")) {
            throw new IllegalArgumentException("Unknown to these tests: cap_drop " + dropped);
        }
        process.putObject("capabilities");
        linux.putObject("resources")
                .putObject("memory")
                .put("limit", bytes(service.path("mem_limit").asString()));
    }

    /** Of a size such as {@code 4g} or {@code 750m}. */
    private static long bytes(String size) {
        int last = size.length() - 1;
        int shift =
                switch (size.charAt(last)) {
                    case 'g' -> 30;
                    case 'm' -> 20;
                    default ->
                            throw new IllegalArgumentException("Unknown to these tests: " + size);
                };
        return Long.parseLong(size.substring(0, last)) << shift;
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

    /** Waits until it has ended by itself. */
    boolean awaitEnd(Duration patience) throws InterruptedException {
        return process.waitFor(patience.toMillis(), TimeUnit.MILLISECONDS);
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
