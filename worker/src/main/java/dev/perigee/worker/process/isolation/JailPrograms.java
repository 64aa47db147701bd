package dev.perigee.worker.process.isolation;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The programs of this host that make jails. Each method returns the ways of one program to make a
 * jail, the strictest first; no other program is ever among them.
 */
final class JailPrograms {
    /** Where programs are besides PATH; what a jail sees of them. */
    static final String SYSTEM_PATH = "/usr/bin:/bin:/usr/sbin:/sbin:/usr/local/bin";

    private static final String INSTALL = "apt-get install bubblewrap util-linux";

    private final String path;
    private final String systemPath;
    private final SyscallFiles syscalls;

    /**
     * Searches nothing yet.
     *
     * @param path the worker's PATH, which goes before the system's
     * @param systemPath {@link #SYSTEM_PATH}: a jail sees what is found there
     * @param syscalls what programs in these jails may ask of the kernel
     */
    JailPrograms(String path, String systemPath, SyscallFiles syscalls) {
        this.path = path + ":" + systemPath;
        this.systemPath = systemPath;
        this.syscalls = syscalls;
    }

    /** By bubblewrap where it is installed, else by nsjail. */
    List<Jail> any() {
        if (find("bwrap", path) != null) {
            return bubblewrap();
        }
        if (find("nsjail", path) != null) {
            return nsjail();
        }
        throw missing(
                "neither bubblewrap nor nsjail: %s; or %s"
                        .formatted(INSTALL, IsolationMode.TRUSTED));
    }

    /** By bubblewrap alone. */
    List<Jail> bubblewrap() {
        var bwrap = find("bwrap", path);
        var prlimit = find("prlimit", systemPath);
        if (bwrap == null || prlimit == null) {
            throw missing(
                    "no %s, which bubblewrap needs: %s"
                            .formatted(bwrap == null ? "bwrap" : "prlimit", INSTALL));
        }
        return List.of(
                new Bubblewrap(bwrap, prlimit, true, syscalls),
                new Bubblewrap(bwrap, prlimit, false, syscalls));
    }

    /** By nsjail alone. */
    List<Jail> nsjail() {
        var nsjail = find("nsjail", path);
        var shell = find("sh", systemPath);
        var env = find("env", systemPath);
        if (nsjail == null) {
            throw missing("no nsjail: install it, or set isolation.mode=bubblewrap");
        }
        if (shell == null || env == null) {
            throw missing(
                    "no %s, which nsjail needs: apt-get install %s"
                            .formatted(
                                    shell == null ? "sh" : "env",
                                    shell == null ? "dash" : "coreutils"));
        }
        return List.of(new Nsjail(nsjail, shell, env, syscalls));
    }

    /** What every jail begins as. */
    Path perl() {
        var perl = find("perl", systemPath);
        if (perl == null) {
            throw missing("no perl, which jails begin as: apt-get install perl-base");
        }
        return perl;
    }

    private static IllegalStateException missing(String what) {
        return new IllegalStateException("Servers are to be jailed, and there is " + what);
    }

    private static @Nullable Path find(String program, String path) {
        for (var directory : path.split(":", -1)) {
            var file = Path.of(directory).resolve(program);
            if (file.isAbsolute() && Files.isRegularFile(file) && Files.isExecutable(file)) {
                return file;
            }
        }
        return null;
    }
}
