package dev.perigee.worker.process;

import static org.assertj.core.api.Assertions.assertThat;

/** Sends any signal to one process, as an operator would. */
final class Signals {

    private Signals() {}

    static void send(long pid, String name) throws Exception {
        var kill = new ProcessBuilder("kill", "-" + name, Long.toString(pid)).start();
        assertThat(kill.waitFor()).isZero();
    }
}
