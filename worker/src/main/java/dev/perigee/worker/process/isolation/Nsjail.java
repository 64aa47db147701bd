package dev.perigee.worker.process.isolation;

import java.nio.file.Path;
import java.util.List;

/**
 * Namespaces and limits by nsjail. nsjail stays as the process that is launched; the program is its
 * child and its namespace's first process, which the kernel spares any signal but SIGKILL that it
 * has no handler for.
 *
 * @param nsjail where nsjail is
 * @param env where coreutils' env is, on the host as in the jail: nsjail looks for no program in
 *     PATH
 * @param system what programs see of the host
 */
record Nsjail(Path nsjail, Path env, SystemPaths system) implements Jail {

    private static final long MIB = 1 << 20;

    @Override
    public String name() {
        return "nsjail";
    }

    @Override
    public List<String> unenforced() {
        return List.of("no namespaces inside: nsjail cannot forbid them");
    }

    @Override
    public List<String> command(JailPolicy policy, JailedProgram program) {
        var line = new CommandLine(nsjail.toString());
        line.add("-Mo").add("-Q").add("--time_limit", 0).add("--nice_level", 0);
        line.add("--keep_env");
        if (policy.network()) {
            line.add("--disable_clone_newnet");
        }
        line.add("--user", JailPolicy.USER).add("--group", JailPolicy.USER);
        line.add("--hostname", program.hostname());
        limits(policy, line);
        mounts(policy, program, line);
        line.add("--cwd", program.directory());
        line.add("--", env).addAll(program.command());
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

    private void mounts(JailPolicy policy, JailedProgram program, CommandLine line) {
        for (var path : system.readOnly()) {
            line.add("-R", path);
        }
        for (var device : List.of("null", "zero", "full", "random", "urandom")) {
            line.add("-B", "/dev/" + device);
        }
        tmpfs("/dev/shm", policy.tmpBytes(), line);
        tmpfs("/tmp", policy.tmpBytes(), line);
        for (var path : policy.readOnly()) {
            line.add("-R", path);
        }
        for (var file : system.hiddenFiles()) {
            line.add("-R", "/dev/null:" + file);
        }
        for (var directory : system.hiddenDirectories()) {
            line.add("-m", "none:%s:tmpfs:ro,size=%d".formatted(directory, SystemPaths.PAGE_BYTES));
        }
        line.add("-B", program.home().host() + ":" + program.home().inside());
        if (program.app()) {
            tmpfs(JailedProgram.APP, policy.appBytes(), line);
        }
    }

    private static void tmpfs(String path, long bytes, CommandLine line) {
        line.add("-m", "none:%s:tmpfs:size=%d".formatted(path, bytes));
    }
}
