package dev.perigee.worker.process.isolation;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Namespaces by bubblewrap, limits by prlimit inside them: set outside, the limit of processes
 * would count the worker's own and could forbid the namespaces.
 *
 * <p>bwrap stays as the process that is launched, with a second one of it as the namespace's first
 * process below; the program is that one's child. Either's death ends the namespace.
 *
 * @param bwrap where bubblewrap is
 * @param prlimit where util-linux's prlimit is, on the host as in the jail
 * @param closed whether programs are kept from making namespaces of their own, which needs
 *     bubblewrap 0.8; with one they could mount what is not limited
 * @param syscalls what programs may ask of the kernel
 */
record Bubblewrap(Path bwrap, Path prlimit, boolean closed, SyscallFiles syscalls) implements Jail {

    /** bubblewrap takes the list by a descriptor, which it closes; shells name up to ten. */
    private static final String DESCRIPTOR = "9";

    private static final List<String> OPEN =
            List.of(
                    "/bin/sh",
                    "-c",
                    "exec " + DESCRIPTOR + "<\"$1\" && shift && exec \"$@\"",
                    "perigee-jail");

    @Override
    public String name() {
        return "bubblewrap";
    }

    @Override
    public List<String> unenforced() {
        return closed ? List.of() : List.of("no namespaces inside: needs bubblewrap 0.8");
    }

    @Override
    public String configuration(JailPolicy policy, SystemPaths system, JailedProgram program) {
        return "";
    }

    @Override
    public List<String> command(
            JailPolicy policy, SystemPaths system, JailedProgram program, JailLog log) {
        var line = begin();
        line.add("--unshare-user");
        if (closed) {
            line.add("--disable-userns");
        }
        line.add("--unshare-pid").add("--unshare-ipc").add("--unshare-uts");
        line.add("--unshare-cgroup-try");
        if (policy.network() == NetworkMode.NONE) {
            line.add("--unshare-net");
        }
        line.add("--uid", JailPolicy.USER).add("--gid", JailPolicy.USER);
        line.add("--hostname", program.hostname());
        line.add("--die-with-parent").add("--new-session").add("--cap-drop", "ALL");
        mounts(policy, system, program, line);
        line.add("--chdir", program.directory());
        line.add("--").addAll(limits(policy)).add("--").addAll(program.command());
        return line.words();
    }

    private CommandLine begin() {
        var line = new CommandLine(OPEN.getFirst());
        line.addAll(OPEN.subList(1, OPEN.size()));
        return line.add(syscalls.instructions().toString(), bwrap, "--seccomp", DESCRIPTOR);
    }

    /** What is mounted below a path is read-only with it. */
    private static void mounts(
            JailPolicy policy, SystemPaths system, JailedProgram program, CommandLine line) {
        for (var path : system.readOnly()) {
            line.add("--ro-bind", path, path);
        }
        // No program may change what is written there of it, such as its oom_score_adj.
        line.add("--proc", "/proc").add("--remount-ro", "/proc");
        line.add("--dev", "/dev").add("--dev-bind", JailedProgram.ZEROES, "/dev/zero");
        tmpfs("/dev/shm", policy.tmpBytes(), line);
        line.add("--remount-ro", "/dev");
        tmpfs("/tmp", policy.tmpBytes(), line);
        for (var path : policy.readOnly()) {
            line.add("--ro-bind", path, path);
        }
        for (var file : system.hiddenFiles()) {
            line.add("--ro-bind", "/dev/null", file);
        }
        for (var directory : system.hiddenDirectories()) {
            tmpfs(directory, SystemPaths.PAGE_BYTES, line);
            line.add("--remount-ro", directory);
        }
        line.add("--bind", program.home().host(), program.home().inside());
        for (var mount : program.mounts()) {
            line.add(mount.writable() ? "--bind" : "--ro-bind", mount.host(), mount.inside());
        }
        if (program.app()) {
            tmpfs(JailedProgram.APP, policy.appBytes(), line);
        }
        line.add("--remount-ro", "/");
    }

    private static void tmpfs(Object path, long bytes, CommandLine line) {
        line.add("--size", bytes).add("--tmpfs", path);
    }

    private List<String> limits(JailPolicy policy) {
        var cpu = policy.cpuTime().toSeconds();
        var words = new ArrayList<String>();
        words.add(prlimit.toString());
        words.add("--as=unlimited");
        words.add("--cpu=" + (cpu == 0 ? "unlimited" : cpu));
        words.add("--nproc=" + policy.processes());
        words.add("--nofile=" + policy.openFiles());
        words.add("--fsize=" + policy.fileBytes());
        words.add("--core=0");
        return words;
    }
}
