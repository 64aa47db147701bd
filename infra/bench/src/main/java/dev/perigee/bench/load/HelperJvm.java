package dev.perigee.bench.load;

import dev.perigee.local.fleet.JvmCommand;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * A JVM of this module's, with the flags of a fleet's parts. It says that it is ready in a line on
 * its standard output and ends with its standard input.
 */
final class HelperJvm implements AutoCloseable {
    /** What the line begins with; anything may follow. */
    static final String READY = "ready";

    private static final int END_SECONDS = 5;

    /** To standard error, and little. */
    private static final String LOGGING = " -Dlogback.configurationFile=perigee-log-text.xml";

    private static final int HEAP_MEBIBYTES = 384;

    private final Process process;
    private String ready = "";

    private HelperJvm(Process process) {
        this.process = process;
    }

    /**
     * Starts it and returns when it is ready.
     *
     * @param flags of the JVM, on top of those of a fleet's parts
     */
    static HelperJvm start(Class<?> main, String flags, List<String> arguments) throws IOException {
        var command = new JvmCommand(main.getName(), flags + LOGGING);
        var builder = new ProcessBuilder(command.of(HEAP_MEBIBYTES, arguments));
        builder.environment().put("PERIGEE_LOG_LEVEL", "error");
        builder.environment().put("PERIGEE_PART_NAME", main.getSimpleName());
        var helper = new HelperJvm(builder.redirectError(ProcessBuilder.Redirect.INHERIT).start());
        // At its end, which may be early, the line is null.
        for (String line = ""; !line.startsWith(READY); ) {
            line = helper.process.inputReader().readLine();
            if (line == null) {
                helper.close();
                throw new IOException(main.getSimpleName() + " did not start");
            }
            helper.ready = line.substring(Math.min(line.length(), READY.length())).strip();
        }
        return helper;
    }

    /** On the side of the helper: says that it is ready and returns when it is to end. */
    static void serve(String more) throws IOException {
        System.out.println(READY + " " + more);
        while (System.in.read() >= 0) {
            // Only its end says something.
        }
    }

    long pid() {
        return process.pid();
    }

    /** What it said when it was ready. */
    String ready() {
        return ready;
    }

    @Override
    public void close() {
        try {
            process.getOutputStream().close();
            if (process.waitFor(END_SECONDS, TimeUnit.SECONDS)) {
                return;
            }
        } catch (IOException e) {
            // It has ended already.
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        process.destroyForcibly();
    }
}
