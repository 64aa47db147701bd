package dev.perigee.gateway.link;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Supplier;

/** Metrics of the link to one worker, labelled with its {@code address}. */
final class LinkMeters {
    private static final String ADDRESS = "address";

    private final MeterRegistry registry;
    private final String address;
    private final LongAdder inFlight = new LongAdder();
    private final Map<String, Timer> answered = new ConcurrentHashMap<>();
    private final Map<String, Timer> failed = new ConcurrentHashMap<>();
    final Timer roundTrip;
    final Counter framesIn;
    final Counter framesOut;
    final Counter bytesIn;
    final Counter bytesOut;
    final Counter resumed;
    final Counter givenUp;
    final Counter attemptsFailed;
    final Counter callsResent;
    final Counter callsResolved;
    final Counter eventsRepeated;
    final Counter eventsMissing;
    final Counter protocolErrors;

    LinkMeters(MeterRegistry registry, String address) {
        this.registry = registry;
        this.address = address;
        Gauge.builder("perigee.link.calls.in.flight", inFlight, LongAdder::sum)
                .description("Calls that wait for their answer")
                .tag(ADDRESS, address)
                .register(registry);
        roundTrip =
                Timer.builder("perigee.link.round.trip")
                        .description("From a ping to its pong")
                        .tag(ADDRESS, address)
                        .register(registry);
        framesIn = counter("perigee.link.frames", "Messages", "direction", "in");
        framesOut = counter("perigee.link.frames", "Messages", "direction", "out");
        bytesIn = counter("perigee.link.bytes", "Bytes of messages", "direction", "in");
        bytesOut = counter("perigee.link.bytes", "Bytes of messages", "direction", "out");
        resumed =
                counter(
                        "perigee.link.recoveries",
                        "Recoveries of the link, by outcome",
                        "outcome",
                        "resumed");
        givenUp =
                counter(
                        "perigee.link.recoveries",
                        "Recoveries of the link, by outcome",
                        "outcome",
                        "failed");
        attemptsFailed = counter("perigee.link.attempts.failed", "Failed connection attempts");
        callsResent = counter("perigee.link.calls.resent", "Calls sent again after a resume");
        callsResolved =
                counter("perigee.link.calls.resolved", "Calls that a resume found accepted");
        eventsRepeated = counter("perigee.link.events.repeated", "Repeated events, dropped");
        eventsMissing = counter("perigee.link.events.missing", "Gaps in the sequence of events");
        protocolErrors = counter("perigee.link.protocol.errors", "Malformed messages");
    }

    /** Shows the link's state as one series per state, 1 for the present one. */
    void stateOf(Supplier<LinkState> state) {
        for (var shown : LinkState.values()) {
            Gauge.builder("perigee.link.state", () -> state.get() == shown ? 1 : 0)
                    .description("1 for the state that the link is in")
                    .tag(ADDRESS, address)
                    .tag("state", shown.name().toLowerCase(Locale.ROOT))
                    .register(registry);
        }
    }

    void callBegan() {
        inFlight.increment();
    }

    /** So many calls ended, whether or not anybody asks for their answers. */
    void callsGone(int count) {
        inFlight.add(-count);
    }

    void callEnded(String method, boolean wasAnswered, long nanos) {
        var timers = wasAnswered ? answered : failed;
        timers.computeIfAbsent(method, name -> timer(name, wasAnswered))
                .record(Duration.ofNanos(nanos));
    }

    private Timer timer(String method, boolean wasAnswered) {
        return Timer.builder("perigee.link.calls")
                .description("Calls to the worker, until their answer or first event")
                .tag(ADDRESS, address)
                .tag("method", method)
                .tag("outcome", wasAnswered ? "answered" : "failed")
                .register(registry);
    }

    private Counter counter(String name, String description, String... tags) {
        return Counter.builder(name)
                .description(description)
                .tag(ADDRESS, address)
                .tags(tags)
                .register(registry);
    }

    /** The link is gone, and its series with it. */
    void remove() {
        registry.getMeters().stream()
                .filter(meter -> meter.getId().getName().startsWith("perigee.link."))
                .filter(meter -> address.equals(meter.getId().getTag(ADDRESS)))
                .forEach(registry::remove);
    }
}
