package dev.perigee.bench.call;

import dev.perigee.bench.fleet.CpuReading;
import dev.perigee.bench.fleet.JvmProbe;
import dev.perigee.bench.load.Load;
import dev.perigee.bench.load.LoadDriver;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A way to a server that is measured, and whose time and memory it takes.
 *
 * @param server slug of the MCP server, empty where there is none
 */
record Subject(Way way, String server, int users, LoadDriver driver, List<Spender> spenders) {

    /**
     * A part that spends.
     *
     * @param pids its processes
     * @param jvm to ask what it allocated, null where nobody wants to know
     */
    record Spender(String name, Supplier<List<Long>> pids, @Nullable JvmProbe jvm) {}

    /** For progress and failures. */
    String name() {
        return way.label() + " " + server;
    }

    /** Puts the load on it and tells what each call cost. */
    Sample measure(Load load, Duration time) throws InterruptedException {
        var pids = new HashMap<String, List<Long>>();
        spenders.forEach(spender -> pids.put(spender.name(), spender.pids().get()));
        var allocated = allocated();
        var cpu = cpu(pids);
        var latencies = driver.run(load, time);
        var cpuLater = cpu(pids);
        var micros = new HashMap<String, Double>();
        cpuLater.forEach(
                (name, later) ->
                        micros.put(
                                name,
                                later.nanosSince(cpu.getOrDefault(name, later))
                                        / (double) TimeUnit.MICROSECONDS.toNanos(1)
                                        / latencies.calls()));
        var bytes = new HashMap<String, Double>();
        allocated()
                .forEach(
                        (name, later) ->
                                bytes.put(
                                        name,
                                        (later - allocated.getOrDefault(name, later))
                                                / (double) latencies.calls()));
        return new Sample(latencies, micros, bytes);
    }

    private static Map<String, CpuReading> cpu(Map<String, List<Long>> pids) {
        var readings = new HashMap<String, CpuReading>();
        pids.forEach((name, each) -> readings.put(name, CpuReading.of(each)));
        return readings;
    }

    private Map<String, Long> allocated() {
        var bytes = new HashMap<String, Long>();
        for (var spender : spenders) {
            if (spender.jvm() != null) {
                bytes.put(spender.name(), spender.jvm().allocatedBytes());
            }
        }
        return bytes;
    }
}
