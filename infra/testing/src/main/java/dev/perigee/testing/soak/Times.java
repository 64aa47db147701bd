package dev.perigee.testing.soak;

import dev.perigee.testing.fleet.FleetUnderTest;
import java.time.Duration;

/**
 * The times of a fleet by which it decides who is gone: the defaults, or all of them divided by one
 * number, so that what takes a lease or a retention happens within a run of minutes.
 *
 * @param scale 1 for the defaults
 */
public record Times(double scale) {
    private static final Duration SESSION = Duration.ofSeconds(10);
    private static final Duration LEASE = Duration.ofSeconds(75);
    private static final Duration RETENTION = Duration.ofSeconds(30);
    private static final Duration MARGIN = Duration.ofSeconds(5);

    /** A busy machine starts JVMs for longer than less. */
    private static final Duration LEAST_SESSION = Duration.ofSeconds(4);

    /** The most by which times are divided: sessions are left shorter than retentions. */
    public static final double MOST = 5;

    public Times {
        if (!(scale >= 1 && scale <= MOST)) {
            throw new IllegalArgumentException("Times are divided by 1 to " + MOST);
        }
    }

    /** After this long without its group a gateway falls silent. */
    public Duration session() {
        var session = scaled(SESSION);
        return session.compareTo(LEAST_SESSION) < 0 ? LEAST_SESSION : session;
    }

    /** How long a worker keeps processes without a gateway. */
    public Duration retention() {
        return scaled(RETENTION);
    }

    /** After this long everything that is lost is served elsewhere, whatever was lost. */
    public Duration takeover() {
        return session().plus(scaled(LEASE)).plus(retention()).plus(MARGIN);
    }

    /** The settings of gateways and workers. */
    FleetUnderTest.Builder set(FleetUnderTest.Builder fleet) {
        // Workers die by the dozen, and no server did it.
        fleet.gateway("quarantine.deaths", "0");
        if (scale == 1) {
            return fleet;
        }
        for (var ping : new String[] {"link.ping-interval", "link.dead-after"}) {
            var time = scaled(Duration.ofSeconds(ping.equals("link.dead-after") ? 10 : 5));
            fleet.gateway(ping, millis(time)).worker(ping, millis(time));
        }
        return fleet.gateway("group.session-timeout", millis(session()))
                .gateway("group.heartbeat-interval", millis(scaled(Duration.ofSeconds(3))))
                .gateway("link.lease", millis(scaled(LEASE)))
                .gateway("link.retention-surplus", "0s")
                .gateway("link.recovery-margin", millis(scaled(Duration.ofSeconds(5))))
                .gateway("placement.unknown-retention", millis(retention()))
                .gateway("placement.settle", millis(scaled(Duration.ofSeconds(30))))
                .gateway("placement.move-interval", millis(scaled(Duration.ofSeconds(1))))
                .gateway("placement.move-live-interval", millis(scaled(Duration.ofMinutes(1))))
                .worker("link.retention", millis(retention()));
    }

    private Duration scaled(Duration time) {
        return Duration.ofMillis(Math.round(time.toMillis() / scale));
    }

    private static String millis(Duration time) {
        return time.toMillis() + "ms";
    }
}
