package dev.perigee.worker.process.isolation;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/**
 * Resource and access policy of a jail. The address space is never limited: Node reserves some 20
 * GB of it for WebAssembly.
 *
 * <p>The defaults are under {@code isolation} in {@code docs/reference/configuration.md}.
 *
 * @param network what programs have of networks
 * @param cpuTime of one process in its whole life, in whole seconds; zero is unlimited
 * @param processes that a jail may have at the same time, threads included
 * @param openFiles that one process may have
 * @param fileBytes that one file may grow to
 * @param tmpBytes of {@code /tmp}, and again of {@code /dev/shm}
 * @param appBytes of {@code /app}, which only deployments from GitHub have
 * @param memoryBytes of all processes of a jail together; zero is unlimited
 * @param readOnly paths of the host that programs see besides the system's
 * @param hidden files and directories of the host that programs find empty
 * @param environment of the worker's own variables, those that programs get
 */
record JailPolicy(
        NetworkMode network,
        Duration cpuTime,
        int processes,
        int openFiles,
        long fileBytes,
        long tmpBytes,
        long appBytes,
        long memoryBytes,
        List<Path> readOnly,
        List<Path> hidden,
        Map<String, String> environment) {

    static final int USER = 1000;

    JailPolicy {
        readOnly = List.copyOf(readOnly);
        hidden = List.copyOf(hidden);
        environment = Map.copyOf(environment);
    }

    /** Names only: operators pass on what they like. */
    @Override
    public String toString() {
        return "JailPolicy[network=%s, environment=%s]".formatted(network, environment.keySet());
    }
}
