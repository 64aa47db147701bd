package dev.perigee.worker.process;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;

/** A started child process. Safe for use by any thread. */
public interface ChildProcess {

    /** The process id; the jail's where the program runs in one. */
    long pid();

    /** Whether this process is a jail and the program runs below it, see {@link Enclosure}. */
    boolean enclosed();

    /** What identifies the child's whole tree, for {@link Termination}. */
    TreeId tree();

    /**
     * Hands one whole message to the child's standard input. Messages of several threads never
     * interleave. What the pipe has room for is written at once, by the caller; the rest is
     * buffered and written as the child reads. Waits only while that buffer is full.
     *
     * @param message consumed entirely when this returns; none of it is sent when it throws for
     *     time
     * @param deadline how long to wait for room; zero does not wait
     * @throws IOException at once when the child is gone or its input closed; when the deadline
     *     passed without room; when interrupted
     */
    void write(ByteBuffer message, Duration deadline) throws IOException;

    /** Hands one whole message to the child, see {@link #write(ByteBuffer, Duration)}. */
    default void write(byte[] message, Duration deadline) throws IOException {
        write(ByteBuffer.wrap(message), deadline);
    }

    /** Ends the child's standard input after what is buffered. Later writes fail. */
    void closeStdin();

    /**
     * Stops reading standard output, so that a child that goes on writing blocks. Takes effect
     * before the listener's next {@code onStdout} when called from a listener, soon otherwise.
     * Standard error and the exit are reported as before; {@code onClosed} waits for the resume.
     */
    void pauseOutput();

    /** Reads standard output again. */
    void resumeOutput();

    /**
     * Sends a signal to the child's whole process group; does nothing once the child has exited.
     */
    void signal(ProcessSignal signal);

    /**
     * Waits for the process's exit, whatever its streams do.
     *
     * @return false when the limit passed first
     */
    boolean awaitExit(Duration limit) throws InterruptedException;
}
