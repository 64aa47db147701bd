package dev.perigee.worker.session;

import static dev.perigee.worker.session.SessionRun.claimant;

import dev.perigee.worker.session.SessionState.Epochs;
import dev.perigee.worker.session.SessionTransitions.Step;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Enough states and events of a session for each condition to hold and not to hold. */
final class SessionWorld {
    static final List<Class<? extends SessionEvent>> EVENTS =
            List.of(
                    SessionEvent.Attach.class,
                    SessionEvent.Extend.class,
                    SessionEvent.Answer.class,
                    SessionEvent.Detach.class,
                    SessionEvent.Close.class,
                    SessionEvent.Order.class,
                    SessionEvent.Release.class,
                    SessionEvent.Leave.class,
                    SessionEvent.Flushed.class,
                    SessionEvent.Stop.class,
                    SessionEvent.Cleared.class,
                    SessionEvent.Look.class);

    private static final Instant NOW = Instant.parse("2026-11-20T10:00:00Z");
    private static final Duration RETENTION = Duration.ofSeconds(30);
    private static final List<@Nullable Instant> LEASES =
            Arrays.asList(null, NOW, NOW.plusSeconds(75));
    private static final List<Instant> LINKS = List.of(NOW, NOW.plusSeconds(10));

    private SessionWorld() {}

    static List<SessionState> states() {
        var states = new ArrayList<SessionState>();
        var epochs = new Epochs(5, 5);
        for (var stage : SessionStage.values()) {
            if (!stage.exists()) {
                states.add(new SessionState.None(stage, new Epochs(-1, -1)));
                states.add(new SessionState.None(stage, new Epochs(6, 5)));
                states.add(new SessionState.None(stage, epochs));
            }
            for (var deadline : List.of(NOW, NOW.plusSeconds(40))) {
                var held = deadline.minus(RETENTION);
                if (stage.isAttached()) {
                    for (var lease : Arrays.asList(null, held)) {
                        states.add(
                                new SessionState.Attached(
                                        stage,
                                        epochs,
                                        claimant("a", 5, 2),
                                        new Hold(lease, held),
                                        deadline));
                    }
                } else if (stage.exists()) {
                    states.add(
                            new SessionState.Detached(
                                    stage, epochs, claimant("a", 5, 2), deadline));
                }
            }
        }
        return states;
    }

    static List<SessionEvent> events() {
        var events = new ArrayList<SessionEvent>();
        for (var gateway : List.of("a", "b")) {
            for (long generation = 1; generation <= 3; generation++) {
                for (long epoch = 4; epoch <= 7; epoch++) {
                    var by = claimant(gateway, epoch, generation);
                    attaches(by).forEach(events::add);
                    for (var lease : LEASES) {
                        if (lease != null) {
                            events.add(new SessionEvent.Extend(by.peer(), epoch, lease));
                        }
                    }
                    events.add(new SessionEvent.Detach(by.peer(), epoch));
                }
                var peer = claimant(gateway, 0, generation).peer();
                events.add(new SessionEvent.Close(peer));
                LINKS.forEach(end -> events.add(new SessionEvent.Answer(peer, end)));
                for (boolean flag : new boolean[] {true, false}) {
                    events.add(new SessionEvent.Order(peer, flag));
                    events.add(new SessionEvent.Release(peer, flag));
                }
            }
        }
        events.add(new SessionEvent.Leave());
        events.add(new SessionEvent.Flushed());
        events.add(new SessionEvent.Stop());
        events.add(new SessionEvent.Cleared());
        events.add(new SessionEvent.Look());
        return events;
    }

    private static Stream<SessionEvent> attaches(Claimant by) {
        return LEASES.stream()
                .flatMap(lease -> LINKS.stream().map(link -> new Hold(lease, link)))
                .flatMap(
                        hold ->
                                Stream.of(
                                        new SessionEvent.Attach(by, true, hold, true),
                                        new SessionEvent.Attach(by, true, hold, false),
                                        new SessionEvent.Attach(by, false, hold, true),
                                        new SessionEvent.Attach(by, false, hold, false)));
    }

    /** What becomes of every state of a stage by every event of a kind. */
    static List<Step> steps(SessionStage from, Class<? extends SessionEvent> kind) {
        return states().stream()
                .filter(state -> state.stage() == from)
                .flatMap(
                        state ->
                                events().stream()
                                        .filter(kind::isInstance)
                                        .map(
                                                event ->
                                                        SessionTransitions.next(
                                                                state, event, NOW, RETENTION)))
                .toList();
    }
}
