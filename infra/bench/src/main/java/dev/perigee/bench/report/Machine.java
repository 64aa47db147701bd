package dev.perigee.bench.report;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Machine of a run.
 *
 * @param cpu model, empty where it is not known
 * @param loadBefore how many threads wanted to run, on average of the minute before
 */
public record Machine(
        int cores, String cpu, String system, String java, String flags, double loadBefore) {
    private static final Path CPUS = Path.of("/proc/cpuinfo");
    private static final String MODEL = "model name";

    /** This one, now. */
    public static Machine here(String flags) {
        return new Machine(
                Runtime.getRuntime().availableProcessors(),
                cpuModel(),
                System.getProperty("os.name") + " " + System.getProperty("os.version"),
                Runtime.version().toString(),
                flags.strip(),
                ManagementFactory.getOperatingSystemMXBean().getSystemLoadAverage());
    }

    private static String cpuModel() {
        try (var lines = Files.lines(CPUS)) {
            return lines.filter(line -> line.startsWith(MODEL))
                    .map(line -> line.substring(line.indexOf(':') + 1).strip())
                    .findFirst()
                    .orElse("");
        } catch (IOException e) {
            return "";
        }
    }

    /** Whether something else was running: then only what is flat among all figures is true. */
    public boolean busy() {
        return loadBefore > cores * 0.75;
    }
}
