package dev.perigee.worker.process;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** Names of Linux's signals on the machines that Perigee runs on (x86-64, aarch64). */
final class SignalNames {

    private static final List<String> NAMES =
            List.of(
                    "SIGHUP",
                    "SIGINT",
                    "SIGQUIT",
                    "SIGILL",
                    "SIGTRAP",
                    "SIGABRT",
                    "SIGBUS",
                    "SIGFPE",
                    "SIGKILL",
                    "SIGUSR1",
                    "SIGSEGV",
                    "SIGUSR2",
                    "SIGPIPE",
                    "SIGALRM",
                    "SIGTERM",
                    "SIGSTKFLT",
                    "SIGCHLD",
                    "SIGCONT",
                    "SIGSTOP",
                    "SIGTSTP",
                    "SIGTTIN",
                    "SIGTTOU",
                    "SIGURG",
                    "SIGXCPU",
                    "SIGXFSZ",
                    "SIGVTALRM",
                    "SIGPROF",
                    "SIGWINCH",
                    "SIGIO",
                    "SIGPWR",
                    "SIGSYS");

    private SignalNames() {}

    /** The name, or null when no signal of that number has one. */
    static @Nullable String name(int number) {
        return number >= 1 && number <= NAMES.size() ? NAMES.get(number - 1) : null;
    }
}
