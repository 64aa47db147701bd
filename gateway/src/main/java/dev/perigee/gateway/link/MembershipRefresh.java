package dev.perigee.gateway.link;

import dev.perigee.gateway.link.NameService.LookupFailedException;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Looks the names of workers up again and again, on one virtual thread. Names that had no answer
 * yet are asked for every second.
 */
final class MembershipRefresh implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(MembershipRefresh.class);
    private static final Duration SOON = Duration.ofSeconds(1);

    private final List<WorkerSource> sources;
    private final WorkerRoster roster;
    private final NameService names;
    private final Duration interval;
    private final Runnable refreshed;
    private final Map<WorkerSource, @Nullable String> problems = new HashMap<>();
    private final Thread thread = Thread.ofVirtual().name("workers-refresh").unstarted(this::run);

    /**
     * @param refreshed runs after each look, on this thread, which alone uses the roster then
     */
    MembershipRefresh(
            List<WorkerSource> sources,
            WorkerRoster roster,
            NameService names,
            Duration interval,
            Runnable refreshed) {
        this.sources = List.copyOf(sources);
        this.roster = roster;
        this.names = names;
        this.interval = interval;
        this.refreshed = refreshed;
    }

    /** Begins, where there is a name to look up. */
    void start() {
        boolean fixed = sources.stream().allMatch(WorkerSource.One.class::isInstance);
        if (!fixed) {
            thread.start();
        }
    }

    /** Ends it and waits, bounded, for a look that is under way. */
    @Override
    public void close() {
        if (!thread.isAlive()) {
            return; // There was no name to look up.
        }
        thread.interrupt();
        try {
            thread.join(SOON);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void run() {
        try {
            while (!Thread.currentThread().isInterrupted()) {
                sources.forEach(this::lookUp);
                refreshed.run();
                boolean complete = roster.isComplete() || interval.compareTo(SOON) < 0;
                Thread.sleep(complete ? interval : SOON); // DNS notifies of no change.
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void lookUp(WorkerSource source) {
        try {
            switch (source) {
                case WorkerSource.One _ -> {}
                case WorkerSource.Addresses name ->
                        roster.found(source, name.workers(names.addresses(name.uri().getHost())));
                case WorkerSource.Services service ->
                        roster.found(source, service.workers(names.services(service.name())));
            }
            problem(source, null);
        } catch (LookupFailedException e) {
            problem(source, e.getMessage());
        }
    }

    private void problem(WorkerSource source, @Nullable String now) {
        if (!Objects.equals(problems.put(source, now), now) && now != null) {
            LOG.atWarn()
                    .addKeyValue("workers", source.toString())
                    .addKeyValue("reason", now)
                    .log("Cannot look up workers; keeping the known ones");
        }
    }
}
