package dev.perigee.worker.process;

import java.io.IOException;
import java.nio.charset.Charset;
import java.util.ArrayList;
import java.util.regex.Pattern;

/**
 * Starts children with the JDK's own means and gives each of them four platform threads: right for
 * developing on a system without the native launcher, wrong for hundreds of children. What it
 * cannot do: tell exit code 137 from SIGKILL, give a child a session of its own, so that a SIGKILL
 * to the worker's whole process group takes the watchdog with it, or let go of a stream that a
 * grandchild holds (its reader stays until the grandchild ends).
 */
final class PortableProcessLauncher implements ProcessLauncher {

    private static final Pattern ERROR = Pattern.compile("error[=:] ?(\\d{1,4})");

    private final LauncherOptions options;
    private final Charset charset;
    private volatile boolean closed;

    PortableProcessLauncher(LauncherOptions options) {
        this(options, Charset.forName(System.getProperty("sun.jnu.encoding", "UTF-8")));
    }

    /** In a locale that writes arguments so. */
    PortableProcessLauncher(LauncherOptions options, Charset charset) {
        this.options = options;
        this.charset = charset;
    }

    @Override
    public ChildProcess launch(LaunchSpec spec, ChildListener listener) throws LaunchException {
        if (closed) {
            throw new LaunchException(
                    LaunchException.Reason.CLOSED, "The worker is stopping: nothing is started");
        }
        requireWritable(spec);
        var command = new ArrayList<>(spec.command());
        command.set(0, ProgramLookup.find(spec).toString());
        var builder = new ProcessBuilder(command);
        builder.environment().clear();
        builder.environment().putAll(spec.environment());
        var directory = spec.workingDirectory();
        if (directory != null) {
            builder.directory(directory.toFile());
        }
        try {
            var child = new PortableChild(builder.start(), spec, listener, options);
            child.start();
            return child;
        } catch (IOException e) {
            throw failure(spec, e);
        }
    }

    /** The JDK puts a question mark for what the locale cannot write, so that two become one. */
    private void requireWritable(LaunchSpec spec) throws LaunchException {
        var encoder = charset.newEncoder();
        for (var word : spec.command()) {
            if (!encoder.canEncode(word)) {
                throw new LaunchException(
                        LaunchException.Reason.OTHER,
                        "An argument of the program '%s' cannot be written in the worker's locale"
                                        .formatted(spec.program())
                                + ": run the worker with LANG=C.UTF-8");
            }
        }
    }

    /** The JDK tells the system's error number in its message only. */
    private static LaunchException failure(LaunchSpec spec, IOException e) {
        var error = ERROR.matcher(String.valueOf(e.getMessage()));
        return error.find()
                ? Errno.launchFailure(spec.program(), Integer.parseInt(error.group(1)))
                : new LaunchException(
                        LaunchException.Reason.OTHER,
                        "The program '%s' could not be started: %s"
                                .formatted(spec.program(), e.getMessage()));
    }

    @Override
    public void close() {
        closed = true;
    }
}
