package dev.perigee.faults;

import java.io.IOException;

/** Sends signals to processes, by the shell: the program {@code kill} is not on every machine. */
public final class Signals {
    private Signals() {}

    /**
     * Sends one and waits until it is sent.
     *
     * @param name such as {@code STOP}
     * @throws IOException when there is no such process or signal
     */
    public static void send(long pid, String name) throws IOException, InterruptedException {
        var command = "kill -%s %d".formatted(name, pid);
        if (new ProcessBuilder("sh", "-c", command).start().waitFor() != 0) {
            throw new IOException(command + " failed");
        }
    }
}
