package dev.perigee.worker.process.isolation;

import java.nio.file.Path;
import java.util.List;

/**
 * Mounts of one jail of nsjail, as the text format of Protocol Buffers in which nsjail reads them
 * from a file. Only there can a mount be said to be made without opening what it covers: a
 * program's user may not be allowed to. Pure.
 */
final class NsjailMounts {
    private static final Path NULL = Path.of("/dev/null");

    /** Of what has no devices. */
    private static final String PLAIN = " nosuid: true nodev: true";

    private final StringBuilder text = new StringBuilder("mount_proc: true\n");

    private NsjailMounts() {}

    static String text(JailPolicy policy, SystemPaths system, JailedProgram program) {
        return new NsjailMounts().all(policy, system, program).text.toString();
    }

    private NsjailMounts all(JailPolicy policy, SystemPaths system, JailedProgram program) {
        for (var path : system.readOnly()) {
            bind(path, path, false);
        }
        devices(policy);
        tmpfs("/tmp", policy.tmpBytes(), true);
        for (var path : policy.readOnly()) {
            bind(path, path, false);
        }
        // A mount takes along what is mounted below it, and leaves that writable.
        for (var mount : system.submounts()) {
            bind(mount.host(), mount.inside(), false);
        }
        for (var file : system.hiddenFiles()) {
            // A directory is found there or made, never opened; the file is found.
            mount(NULL, file, "is_bind: true is_dir: true rw: false" + PLAIN);
        }
        for (var directory : system.hiddenDirectories()) {
            tmpfs(directory.toString(), SystemPaths.PAGE_BYTES, false);
        }
        bind(program.home().host(), program.home().inside(), true);
        for (var mount : program.mounts()) {
            bind(mount.host(), mount.inside(), mount.writable());
        }
        if (program.app()) {
            tmpfs(JailedProgram.APP, policy.appBytes(), true);
        }
        return this;
    }

    /** Read-only devices can be written to, but their modes not be changed, by root neither. */
    private void devices(JailPolicy policy) {
        for (var device : List.of("null", "full", "random", "urandom", "tty")) {
            device(Path.of("/dev", device), "/dev/" + device);
        }
        device(JailedProgram.ZEROES, "/dev/zero");
        link("/proc/self/fd", "/dev/fd");
        link("/proc/self/fd/0", "/dev/stdin");
        link("/proc/self/fd/1", "/dev/stdout");
        link("/proc/self/fd/2", "/dev/stderr");
        made("/dev/pts", "devpts", "newinstance,ptmxmode=0666,mode=620", "rw: true nosuid: true");
        link("pts/ptmx", "/dev/ptmx");
        tmpfs("/dev/shm", policy.tmpBytes(), true);
    }

    private void device(Path host, String inside) {
        mount(host, Path.of(inside), "is_bind: true rw: false nosuid: true");
    }

    private void bind(Path host, Path inside, boolean writable) {
        mount(host, inside, "is_bind: true rw: " + writable + PLAIN);
    }

    private void link(String to, String path) {
        mount(Path.of(to), Path.of(path), "is_symlink: true");
    }

    private void tmpfs(String path, long bytes, boolean writable) {
        made(path, "tmpfs", "size=" + bytes, "rw: " + writable + PLAIN);
    }

    private void made(String path, String type, String options, String flags) {
        mount(
                Path.of("none"),
                Path.of(path),
                "fstype: \"%s\" options: \"%s\" %s".formatted(type, options, flags));
    }

    private void mount(Path source, Path target, String kind) {
        text.append(
                "mount { src: %s dst: %s %s }\n".formatted(quoted(source), quoted(target), kind));
    }

    /** No character of a path ends it. */
    private static String quoted(Path path) {
        var quoted = new StringBuilder("\"");
        path.toString()
                .chars()
                .forEach(
                        unit -> {
                            if (unit < ' ' || unit == '"' || unit == '\\' || unit == 0x7f) {
                                quoted.append("\\%03o".formatted(unit));
                            } else {
                                quoted.append((char) unit);
                            }
                        });
        return quoted.append('"').toString();
    }
}
