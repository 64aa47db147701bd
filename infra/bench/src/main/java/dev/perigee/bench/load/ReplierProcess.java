package dev.perigee.bench.load;

import dev.perigee.local.fleet.JvmCommand;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** The JVM of a {@link Replier}. */
final class ReplierProcess implements AutoCloseable {
    private static final int END_SECONDS = 5;

    /** To standard error, and little. */
    private static final String LOGGING = " -Dlogback.configurationFile=perigee-log-text.xml";

    private static final int HEAP_MEBIBYTES = 384;

    private final Process process;

    private ReplierProcess(Process process) {
        this.process = process;
    }

    /** Starts it and returns when it answers. */
    static ReplierProcess start(String flags, String bootstrap, int offset, ReplyShape shape)
            throws IOException {
        var arguments =
                new ArrayList<>(
                        List.of(
                                bootstrap,
                                Integer.toString(offset),
                                Integer.toString(shape.valueBytes())));
        shape.headerBytes().forEach((key, bytes) -> arguments.add(key + "=" + bytes));
        var command = new JvmCommand(Replier.class.getName(), flags + LOGGING);
        var builder = new ProcessBuilder(command.of(HEAP_MEBIBYTES, arguments));
        builder.environment().put("PERIGEE_LOG_LEVEL", "error");
        builder.environment().put("PERIGEE_PART_NAME", "replier");
        var replier =
                new ReplierProcess(builder.redirectError(ProcessBuilder.Redirect.INHERIT).start());
        // At its end, which may be early, the line is null.
        for (var line = ""; !Replier.READY.equals(line); ) {
            line = replier.process.inputReader().readLine();
            if (line == null) {
                replier.close();
                throw new IOException("The bare Kafka replier did not start");
            }
        }
        return replier;
    }

    long pid() {
        return process.pid();
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
