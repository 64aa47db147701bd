package dev.perigee.worker.process.isolation;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.List;

/** As whom jailed programs run on the host, decided once at a worker's start. Thread-safe. */
sealed interface Identities {

    /**
     * As whom a program with this home runs.
     *
     * @param owned what becomes this user's before it runs, with all below it: its home first
     * @throws UncheckedIOException where it cannot be; the message says what to do
     */
    HostIdentity of(Home home, List<Path> owned);

    /** Whether the kernel counts all jails together, whatever they have inside. */
    boolean sharesQuotas();

    /** What of an identity for each is not enforced, and why; none where it is. */
    List<String> gaps();

    /**
     * All as the worker itself.
     *
     * @param why no other
     */
    record Shared(String why) implements Identities {
        @Override
        public HostIdentity of(Home home, List<Path> owned) {
            var directory = owned.getFirst();
            try {
                if (FileOwner.of(directory) == FileOwner.own()) {
                    return HostIdentity.WORKER;
                }
                throw new IOException(
                        "The home %s belongs to another user than the worker: set isolation.ids as it was, or chown -R the home to the worker's user"
                                .formatted(directory));
            } catch (IOException e) {
                throw new UncheckedIOException(String.valueOf(e.getMessage()), e);
            }
        }

        @Override
        public boolean sharesQuotas() {
            return true;
        }

        @Override
        public List<String> gaps() {
            return List.of("an identity for each server: " + why);
        }
    }

    /** Each home's own, for all that runs there. */
    record Own(HomeIds ids) implements Identities {
        @Override
        public HostIdentity of(Home home, List<Path> owned) {
            var directory = owned.getFirst();
            var id =
                    switch (home) {
                        case Home.OfInstallation _ -> ids.of(directory);
                        case Home.OfWorker _, Home.Disused _ -> ids.ofWorker(directory);
                    };
            return new HostIdentity(id, owned);
        }

        @Override
        public boolean sharesQuotas() {
            return false;
        }

        @Override
        public List<String> gaps() {
            return List.of();
        }
    }
}
