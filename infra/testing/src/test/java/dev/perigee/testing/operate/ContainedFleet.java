package dev.perigee.testing.operate;

import dev.perigee.faults.Program;
import dev.perigee.testing.fleet.FleetUnderTest;
import dev.perigee.testing.fleet.Installation;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import tools.jackson.databind.JsonNode;

/** A fleet whose one worker is in a container, see {@link OciContainer}. */
record ContainedFleet(FleetUnderTest fleet, OciContainer worker) implements AutoCloseable {

    /**
     * Starts it; skips the test where no container can be made.
     *
     * @param name of the fleet
     * @param directory empty, for the container
     * @param service of the compose file
     * @param more settings of the worker
     * @param shown files that servers can read where they are here
     */
    static ContainedFleet start(
            String name,
            Path directory,
            JsonNode service,
            Map<String, String> more,
            List<Path> shown)
            throws IOException, InterruptedException {
        var missing = OciContainer.missing();
        if (!missing.isEmpty()) {
            Program.RUNC.cannot(missing);
        }
        var fleet = FleetUnderTest.named(name).workers(0).spareWorkers(1).start();
        var settings = new HashMap<>(more);
        settings.put("worker.id", fleet.workerId(1));
        settings.put("link.listen", fleet.linkAuthority(1));
        settings.put("link.token", FleetUnderTest.TOKEN);
        settings.put("admin.listen", "127.0.0.1:0");
        settings.put("worker.drain-timeout", "2s");
        settings.put(
                "isolation.read-only-paths",
                shown.stream().map(Path::toString).collect(Collectors.joining(",")));
        try {
            var worker = OciContainer.worker(directory, service, settings, shown);
            return new ContainedFleet(fleet, worker);
        } catch (IOException | InterruptedException | RuntimeException e) {
            fleet.close();
            throw e;
        }
    }

    /** Installs a server; a failure has what the worker wrote. */
    Installation install(Installation wanted) {
        try {
            return fleet.backend().install(wanted);
        } catch (AssertionError | RuntimeException e) {
            throw new AssertionError(worker.log(), e);
        }
    }

    @Override
    public void close() {
        worker.close();
        fleet.close();
    }
}
