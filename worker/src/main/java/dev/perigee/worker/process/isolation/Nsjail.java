package dev.perigee.worker.process.isolation;

import java.nio.file.Path;
import java.util.List;

/**
 * Namespaces and limits by nsjail. nsjail stays as the process that is launched; a shell below it
 * is the namespace's first process and the program is that one's child, as under bubblewrap: the
 * kernel spares a first process every signal that it has no handler for, and leaves it to bury
 * others' children.
 *
 * @param nsjail where nsjail is
 * @param shell where a POSIX shell is, on the host as in the jail
 * @param env where coreutils' env is, on the host as in the jail
 * @param syscalls what programs may ask of the kernel
 */
record Nsjail(Path nsjail, Path shell, Path env, SyscallFiles syscalls) implements Jail {

    private static final long MIB = 1 << 20;

    /** That of {@code jail-entry.pl}, since nsjail sets one in any case. */
    private static final int NICE = 10;

    /**
     * The first process: runs its arguments, and ends as they did. What it says itself, such as
     * that a child was killed, goes nowhere.
     */
    private static final String FIRST = "exec 3>&2 2>/dev/null; (exec \"$@\" 2>&3 3>&-); exit $?";

    @Override
    public String name() {
        return "nsjail";
    }

    @Override
    public List<String> unenforced() {
        return List.of();
    }

    @Override
    public String configuration(JailPolicy policy, SystemPaths system, JailedProgram program) {
        return NsjailMounts.text(policy, system, program);
    }

    @Override
    public List<String> command(
            JailPolicy policy, SystemPaths system, JailedProgram program, JailLog log) {
        var line = new CommandLine(nsjail.toString());
        // First: it replaces what was said before.
        line.add("--config", log.configuration());
        // Warnings and errors, which say why a jail was not made.
        line.add("-Mo").add("-q").add("--log", log.file());
        line.add("--time_limit", 0).add("--nice_level", NICE);
        line.add("--keep_env");
        if (policy.network() != NetworkMode.NONE) {
            line.add("--disable_clone_newnet");
        }
        line.add("--user", JailPolicy.USER).add("--group", JailPolicy.USER);
        line.add("--hostname", program.hostname());
        limits(policy, line);
        line.add("--seccomp_policy", syscalls.policy());
        line.add("--cwd", program.directory());
        line.add("--", shell, "-c", FIRST, "sh", env).addAll(program.command());
        return line.words();
    }

    private static void limits(JailPolicy policy, CommandLine line) {
        var cpu = policy.cpuTime().toSeconds();
        line.add("--rlimit_as", "inf");
        line.add("--rlimit_cpu", cpu == 0 ? "inf" : cpu);
        line.add("--rlimit_nproc", policy.processes());
        line.add("--rlimit_nofile", policy.openFiles());
        // In MiB, and what is less than one would be none.
        line.add("--rlimit_fsize", Math.ceilDiv(policy.fileBytes(), MIB));
        line.add("--rlimit_core", 0);
    }
}
