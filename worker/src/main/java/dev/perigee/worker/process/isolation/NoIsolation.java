package dev.perigee.worker.process.isolation;

import dev.perigee.worker.process.LaunchSpec;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;

/**
 * Starts programs as they are, in the worker's whole environment, for servers that are trusted.
 * Perigee's own settings, among them the link's token, are kept from them.
 */
public final class NoIsolation implements Isolation {
    private static final String OWN_PREFIX = "PERIGEE_";

    private final Map<String, String> inherited;
    private final CacheLayout caches;

    /**
     * No isolation.
     *
     * @param workerEnvironment the worker's own
     * @param caches the cache directory
     */
    public NoIsolation(Map<String, String> workerEnvironment, Path caches) {
        var environment = new HashMap<>(workerEnvironment);
        environment.keySet().removeIf(name -> name.startsWith(OWN_PREFIX));
        this.inherited = Map.copyOf(environment);
        this.caches = new CacheLayout(caches);
    }

    @Override
    public String name() {
        return "none";
    }

    @Override
    public LaunchSpec enclose(ServerProgram program, ProgramEgress reach) {
        return new LaunchSpec(program.command(), environment(program), null);
    }

    @Override
    public String searchPath(ServerProgram program) {
        return environment(program).getOrDefault("PATH", "");
    }

    private Map<String, String> environment(ServerProgram program) {
        var environment = new HashMap<>(inherited);
        environment.putAll(program.environment());
        return environment;
    }

    @Override
    public HomePlace home(ServerProgram program) {
        var directory = caches.home(program.home(), program.runtime());
        return new HomePlace(directory, directory);
    }

    @Override
    public boolean discard(Home.OfInstallation home) {
        return caches.discard(home);
    }

    @Override
    public Path gone() {
        return caches.gone();
    }

    @Override
    public Path packages() {
        return caches.packages();
    }

    @Override
    public Mount mount(Path host, Path inside, boolean writable) {
        return new Mount(host, host, writable);
    }
}
