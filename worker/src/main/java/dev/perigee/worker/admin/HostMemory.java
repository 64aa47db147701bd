package dev.perigee.worker.admin;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * Memory that the worker and its processes can have: of the control group (v2) that it runs in
 * where that has a limit, as a container has, else of the machine. What the kernel gives back when
 * it is needed counts as available.
 */
public final class HostMemory {
    private static final String UNIFIED = "0::";

    private final Path root;

    /**
     * @param root where {@code proc} and {@code sys} are
     */
    public HostMemory(Path root) {
        this.root = root;
    }

    /** In bytes; not a number where this system does not tell. */
    public record Amount(double available, double limit) {
        static final Amount UNKNOWN = new Amount(Double.NaN, Double.NaN);
    }

    /** The registry holds it from then on. */
    void register(MeterRegistry registry) {
        Gauge.builder("perigee.worker.host.memory.available", () -> now().available())
                .description("Memory left for processes: of the control group with a limit, if any")
                .baseUnit("bytes")
                .register(registry);
        Gauge.builder("perigee.worker.host.memory.limit", () -> now().limit())
                .description("Memory that worker and processes can have together")
                .baseUnit("bytes")
                .register(registry);
    }

    /** Reads three small files. Any thread. */
    public Amount now() {
        try {
            var group = ofGroup();
            return group == null ? ofMachine() : group;
        } catch (IOException | NumberFormatException e) {
            return Amount.UNKNOWN;
        }
    }

    private @Nullable Amount ofGroup() throws IOException {
        var group = limited();
        if (group == null) {
            return null;
        }
        var limit = Files.readString(group.resolve("memory.max")).strip();
        long used = Long.parseLong(Files.readString(group.resolve("memory.current")).strip());
        double cached = field(group.resolve("memory.stat"), "inactive_file");
        double most = Long.parseLong(limit);
        return new Amount(Math.max(0, most - used + cached), most);
    }

    /** The worker's own or, as it may have moved below the one that it was given, one above. */
    private @Nullable Path limited() throws IOException {
        var groups = root.resolve("sys/fs/cgroup");
        for (var at = group(); at != null && at.startsWith(groups); at = at.getParent()) {
            var limit = at.resolve("memory.max");
            if (Files.exists(limit) && !Files.readString(limit).strip().equals("max")) {
                return at;
            }
        }
        return null;
    }

    private @Nullable Path group() throws IOException {
        for (var line : Files.readAllLines(root.resolve("proc/self/cgroup"))) {
            if (line.startsWith(UNIFIED + "/")) {
                return root.resolve("sys/fs/cgroup").resolve(line.substring(UNIFIED.length() + 1));
            }
        }
        return null;
    }

    private Amount ofMachine() throws IOException {
        var meminfo = root.resolve("proc/meminfo");
        return new Amount(
                field(meminfo, "MemAvailable:") * 1024, field(meminfo, "MemTotal:") * 1024);
    }

    private static double field(Path file, String name) throws IOException {
        for (var line : Files.readAllLines(file)) {
            if (line.startsWith(name + " ")) {
                return Long.parseLong(line.substring(name.length()).strip().split(" ")[0]);
            }
        }
        return Double.NaN;
    }
}
