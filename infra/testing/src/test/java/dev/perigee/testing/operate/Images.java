package dev.perigee.testing.operate;

import com.github.dockerjava.api.command.InspectContainerResponse.ContainerState;
import com.github.dockerjava.api.exception.NotFoundException;
import com.github.dockerjava.api.model.Bind;
import com.github.dockerjava.api.model.Capability;
import com.github.dockerjava.api.model.HostConfig;
import dev.perigee.faults.Skipped;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.awaitility.Awaitility;
import org.testcontainers.DockerClientFactory;
import org.testcontainers.containers.GenericContainer;
import org.testcontainers.containers.wait.strategy.Wait;
import org.testcontainers.containers.wait.strategy.WaitStrategy;
import org.testcontainers.utility.DockerImageName;
import tools.jackson.databind.JsonNode;

/**
 * Runs the images that {@code scripts/images} has built. Without an engine or without the images
 * what asks is skipped, unless {@code IMAGES_REQUIRED=1}. Nothing is pulled.
 */
final class Images {
    private static final Duration PATIENCE = Duration.ofSeconds(90);
    private static final List<String> BUILT =
            List.of("perigee-gateway:latest", "perigee-worker:latest");

    private static final Path APPARMOR = Path.of("/sys/kernel/security/apparmor");

    /** When a part serves. */
    static final WaitStrategy READY =
            Wait.forLogMessage("ready .*\\n", 1).withStartupTimeout(PATIENCE);

    private Images() {}

    static void require() {
        var missing = missing();
        if (!missing.isEmpty()) {
            Skipped.because(missing, "IMAGES_REQUIRED");
        }
    }

    private static String missing() {
        if (!DockerClientFactory.instance().isDockerAvailable()) {
            return "needs a container engine that answers (Docker or Podman)";
        }
        var client = DockerClientFactory.lazyClient();
        for (var image : BUILT) {
            try {
                var _ = client.inspectImageCmd(image).exec();
            } catch (NotFoundException e) {
                return "needs the image " + image + " (scripts/images)";
            }
        }
        return "";
    }

    /**
     * A container of a service of the compose file: as it is restricted there, and on this
     * machine's network, where the test's broker is. With the restrictions of the chart, which are
     * narrower: no further privileges and nothing to write but what is mounted.
     *
     * @param environment besides and in place of what the service has
     * @param shown files and directories that it can read where they are here
     */
    static GenericContainer<?> container(
            JsonNode service, Map<String, String> environment, List<Path> shown) {
        var all = new TreeMap<String, String>();
        service.path("environment")
                .properties()
                .forEach(it -> all.put(it.getKey(), it.getValue().asString()));
        all.putAll(environment);
        return new GenericContainer<>(DockerImageName.parse(service.path("image").asString()))
                .withImagePullPolicy(name -> false)
                .withEnv(all)
                .withCreateContainerCmdModifier(
                        command -> command.withHostConfig(restricted(service, shown)));
    }

    private static HostConfig restricted(JsonNode service, List<Path> shown) {
        var options = new ArrayList<String>();
        MonitoringRules.list(service.path("security_opt"))
                .forEach(it -> options.add(inline(it.asString())));
        if (!Files.isDirectory(APPARMOR)) {
            // Docker ignores the profile then, Podman refuses it.
            options.removeIf(option -> option.startsWith("apparmor="));
        }
        var host = options.remove("systempaths=unconfined") ? new Unmasked() : new HostConfig();
        var temporary = new HashMap<String, String>();
        for (var mount : MonitoringRules.list(service.path("tmpfs"))) {
            var words = mount.asString().split(":", 2);
            temporary.put(words[0], words.length > 1 ? words[1] : "");
        }
        return host.withNetworkMode("host")
                .withSecurityOpts(options)
                .withCapDrop(
                        MonitoringRules.list(service.path("cap_drop")).stream()
                                .map(it -> Capability.valueOf(it.asString()))
                                .toArray(Capability[]::new))
                .withReadonlyRootfs(true)
                .withTmpFs(temporary)
                .withBinds(
                        shown.stream().map(path -> Bind.parse(path + ":" + path + ":ro")).toList());
    }

    /** Engines take a profile itself, not its path. */
    private static String inline(String option) {
        try {
            return option.startsWith("seccomp=")
                    ? "seccomp=" + OciContainer.profile(option.substring("seccomp=".length()))
                    : option;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** What clients of engines make of {@code systempaths=unconfined}. */
    private static final class Unmasked extends HostConfig {
        private static final long serialVersionUID = 1L;

        @Override
        public Map<String, Object> getRawValues() {
            return Map.of("MaskedPaths", List.of(), "ReadonlyPaths", List.of());
        }
    }

    /** Sends SIGTERM, as engines do to stop a container, and gives its exit code. */
    static long terminate(GenericContainer<?> container) {
        var id = container.getContainerId();
        DockerClientFactory.lazyClient().killContainerCmd(id).withSignal("SIGTERM").exec();
        Awaitility.await()
                .atMost(PATIENCE)
                .until(() -> !Boolean.TRUE.equals(state(container).getRunning()));
        return Objects.requireNonNull(state(container).getExitCodeLong());
    }

    private static ContainerState state(GenericContainer<?> container) {
        return DockerClientFactory.lazyClient()
                .inspectContainerCmd(container.getContainerId())
                .exec()
                .getState();
    }

    /** The users, as this machine numbers them, that the container's processes run as. */
    static List<String> users(GenericContainer<?> container) {
        var top =
                DockerClientFactory.lazyClient()
                        .topContainerCmd(container.getContainerId())
                        .withPsArgs("-eo pid,uid")
                        .exec();
        var column = List.of(top.getTitles()).indexOf("UID");
        return List.of(top.getProcesses()).stream().map(it -> it[column]).distinct().toList();
    }
}
