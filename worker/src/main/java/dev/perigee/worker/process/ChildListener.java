package dev.perigee.worker.process;

import java.nio.ByteBuffer;

/**
 * Callbacks with a child's output and its end. Every method is called on a thread of the launcher
 * that serves many children, so none may block; calls for one child never overlap. Output that was
 * written before the exit arrives before {@link #onExit}, unless reading is paused; output of a
 * grandchild that still holds a stream may follow it. {@link #onClosed} is the last call.
 */
public interface ChildListener {

    /**
     * Bytes from standard output, not aligned to lines. The buffer is reused: copy what to keep.
     */
    void onStdout(ByteBuffer bytes);

    /** Bytes from standard error, not aligned to lines. The buffer is reused: copy what to keep. */
    void onStderr(ByteBuffer bytes);

    /**
     * The process is about to be reported as ended, and the system still knows it. Called directly
     * before {@link #onExit}, not by every launcher.
     *
     * @param pid of the process; no other has it before this returns
     */
    default void onEnding(long pid) {}

    /** The process ended; called at once, even while a grandchild keeps a stream open. */
    void onExit(ExitStatus status);

    /**
     * Exit known and both streams at their end. Where a grandchild holds a stream, it is read for
     * {@link LauncherOptions#outputGrace} after the exit and then closed by the launcher; that time
     * does not run while output is paused.
     */
    void onClosed();
}
