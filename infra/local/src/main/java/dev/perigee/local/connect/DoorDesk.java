package dev.perigee.local.connect;

import dev.perigee.client.KafkaConnection;
import dev.perigee.client.PerigeeClient;
import dev.perigee.local.connect.DoorCall.Subject;
import dev.perigee.local.connect.DoorTokens.Holder;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.Base64;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Users, sessions and calls of a door, by ids that nobody can guess, each of one user. Safe for use
 * by any thread. Bounds: those of {@link DoorOptions}; sessions and catalogues that nobody uses
 * end, and calls whose input nobody brings.
 */
final class DoorDesk implements AutoCloseable {
    private static final int TOO_MANY = 429;
    private static final int UNAVAILABLE = 503;
    private static final int ID_BYTES = 24;
    private static final Duration SWEEP = Duration.ofSeconds(5);

    /** How long a catalogue is followed that nobody asks for. */
    private static final Duration UNUSED = Duration.ofMinutes(5);

    /** How long after a failure a catalogue is read anew. */
    private static final Duration AGAIN = Duration.ofSeconds(5);

    private static final Duration END = Duration.ofSeconds(5);

    private final DoorOptions options;
    private final KafkaConnection kafka;
    private final PerigeeClient client;
    private final boolean hasEvents;
    private final Consumer<String> note;
    private final SecureRandom random = new SecureRandom();
    private final Map<DoorUser.Key, Viewed> users = new ConcurrentHashMap<>();
    private final Map<String, Open> sessions = new ConcurrentHashMap<>();
    private final ParkedCalls parked = new ParkedCalls(this::id, System::nanoTime);
    private final Set<SessionThread> threads = ConcurrentHashMap.newKeySet();
    private final CountDownLatch over = new CountDownLatch(1);
    private final Places sessionPlaces =
            new Places(DoorOptions.SESSIONS_OF_ONE, DoorOptions.SESSIONS);
    private final Places callPlaces = new Places(DoorOptions.CALLS_OF_ONE, DoorOptions.CALLS);
    private final Places views = new Places(DoorOptions.VIEWS_OF_ONE, DoorOptions.VIEWS);
    private final ScheduledExecutorService sweeper =
            Executors.newSingleThreadScheduledExecutor(
                    Thread.ofPlatform().daemon().name("perigee-door-sweep").factory());
    private volatile boolean closed;

    private record Viewed(DoorUser user, Places.Place place) {}

    private record Open(DoorSession session, SessionThread thread) {}

    /**
     * A desk that nobody has come to.
     *
     * @param hasEvents false of a fleet that publishes nothing of running calls
     * @param note takes what only a person can act on, and no secrets; for any thread
     */
    DoorDesk(
            DoorOptions options,
            KafkaConnection kafka,
            PerigeeClient client,
            boolean hasEvents,
            Consumer<String> note) {
        this.options = options;
        this.kafka = kafka;
        this.client = client;
        this.hasEvents = hasEvents;
        this.note = note;
    }

    void start() {
        var _ =
                sweeper.scheduleWithFixedDelay(
                        this::sweep, SWEEP.toMillis(), SWEEP.toMillis(), TimeUnit.MILLISECONDS);
    }

    /**
     * The user's servers.
     *
     * @param server the slug of the one that is named; null for all
     * @throws DoorRefusedException when there are too many, or the door ends
     */
    DoorUser user(Holder holder, @Nullable String server) {
        var key = new DoorUser.Key(holder, server);
        while (!closed) {
            var user = users.computeIfAbsent(key, this::opened).user();
            if (user.use()) {
                return user;
            }
            forget(user);
        }
        throw ends();
    }

    private static DoorRefusedException ends() {
        return new DoorRefusedException(
                UNAVAILABLE, null, Messages.INTERNAL_ERROR, "The door ends: try again later");
    }

    private Viewed opened(DoorUser.Key key) {
        var place = views.take(key.holder());
        if (place == null) {
            throw tooMany("catalogues are followed: name fewer servers, or wait 5 minutes");
        }
        var itsOptions =
                new ConnectOptions(
                        key.holder().teamId(),
                        key.holder().userId(),
                        null,
                        key.server(),
                        options.timeout(),
                        options.version());
        return new Viewed(
                new DoorUser(
                        key,
                        itsOptions,
                        sink -> {
                            var feed = CatalogueFeed.open(kafka, itsOptions, client, sink, note);
                            feed.start();
                            return feed;
                        },
                        AGAIN,
                        note),
                place);
    }

    private void forget(DoorUser user) {
        var viewed = users.get(user.key());
        if (viewed != null && viewed.user() == user && users.remove(user.key(), viewed)) {
            viewed.place().close();
        }
        user.close();
    }

    private static DoorRefusedException tooMany(String what) {
        return new DoorRefusedException(
                TOO_MANY, null, Messages.INTERNAL_ERROR, "Too many " + what);
    }

    private String id() {
        var bytes = new byte[ID_BYTES];
        random.nextBytes(bytes);
        return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
    }

    private static String requestId() {
        return "door-" + UUID.randomUUID();
    }

    /**
     * Begins a session.
     *
     * @throws DoorRefusedException when the user has too many that are in use
     */
    DoorSession begin(DoorUser user) {
        var holder = user.key().holder();
        var place = sessionPlaces.take(holder);
        if (place == null && endIdlest(holder)) {
            place = sessionPlaces.take(holder);
        }
        if (place == null) {
            throw tooMany("sessions are open");
        }
        var session = new DoorSession(id(), user, place);
        run(
                user,
                new McpSession(user.options(), hasEvents, DoorDesk::requestId),
                session,
                thread -> sessions.put(session.id(), new Open(session, thread)),
                () -> {
                    sessions.remove(session.id());
                    session.over();
                });
        return session;
    }

    /** Starts a session's thread, and has its user tell it of tools until it ends. */
    private void run(
            DoorUser user,
            McpSession session,
            SessionDriver.Outlet outlet,
            Consumer<SessionThread> begun,
            Runnable itsOver) {
        var self = new SessionThread[1];
        var thread =
                new SessionThread(
                        session,
                        client,
                        user.options().key(),
                        outlet,
                        note,
                        () -> {
                            user.leave(self[0]);
                            itsOver.run();
                        });
        self[0] = thread;
        threads.add(thread);
        try {
            user.join(thread);
            if (closed) {
                throw ends();
            }
        } catch (DoorRefusedException e) {
            threads.remove(thread);
            user.leave(thread);
            itsOver.run();
            throw e;
        }
        begun.accept(thread);
        thread.start(() -> threads.remove(thread));
    }

    private boolean endIdlest(Holder holder) {
        var idlest =
                sessions.values().stream()
                        .filter(each -> each.session().user().key().holder().equals(holder))
                        .sorted(Comparator.comparingLong(each -> each.session().usedAt()))
                        .filter(each -> each.session().endIfIdle(Duration.ZERO))
                        .findFirst();
        idlest.ifPresent(each -> end(each.session()));
        return idlest.isPresent();
    }

    /** The session with this id, if it is that user's; null otherwise. */
    @Nullable DoorSession session(String id, DoorUser.Key of) {
        var open = sessions.get(id);
        return open == null || !open.session().user().key().equals(of) ? null : open.session();
    }

    /** Hands over a message of its client's; false where it is not taken in time. */
    boolean receive(DoorSession session, byte[] message) throws InterruptedException {
        var open = sessions.get(session.id());
        return open != null && open.thread().receive(message);
    }

    /** Ends it: from now on there is no such session. */
    void end(DoorSession session) {
        var open = sessions.remove(session.id());
        if (open != null) {
            session.over();
            open.thread().end();
        }
    }

    /**
     * Begins a request of 2026-07-28.
     *
     * @param message as it came
     * @param bytes of it
     * @throws DoorRefusedException when the user has too many
     */
    DoorCall call(
            DoorUser user,
            ModernMessage request,
            String digest,
            byte[] message,
            Places.Place bytes,
            MessageStream stream)
            throws InterruptedException {
        var place = callPlaces.take(user.key().holder());
        if (place == null) {
            throw tooMany("requests are running, or wait for input");
        }
        var call =
                new DoorCall(
                        new Subject(user.key(), request.method(), digest),
                        request.id(),
                        stream,
                        parked::park,
                        place,
                        bytes.handOver());
        var threads = new SessionThread[1];
        run(
                user,
                McpSession.stateless(
                        user.options(),
                        hasEvents,
                        DoorDesk::requestId,
                        request.abilities(),
                        request.logLevel()),
                call,
                thread -> {
                    threads[0] = thread;
                    call.begin(thread);
                },
                call::over);
        threads[0].receive(message);
        return call;
    }

    /** Takes the call that waits for a retry with this state; null where there is none of it. */
    @Nullable DoorCall unpark(String state, Subject of) {
        return parked.unpark(state, of);
    }

    /** Waits until the client that all share has failed, or is closed. */
    void awaitEnd() throws InterruptedException {
        over.await();
    }

    private void sweep() {
        try {
            if (over.getCount() > 0 && !closed && !client.isOpen()) {
                note.accept("The door ends, since answers cannot be read any more");
                over.countDown();
            }
            sessions.values().stream()
                    .map(Open::session)
                    .filter(each -> each.endIfIdle(options.idle()))
                    .forEach(this::end);
            parked.sweep();
            users.values().stream()
                    .map(Viewed::user)
                    .filter(each -> each.endIfIdle(UNUSED))
                    .forEach(this::forget);
        } catch (RuntimeException e) {
            note.accept("Unexpected error; continuing: " + e.getClass().getSimpleName());
        }
    }

    /** Ends everything, and waits a little until calls in flight are cancelled. */
    @Override
    public void close() {
        closed = true;
        over.countDown();
        sweeper.shutdownNow();
        var open = List.copyOf(threads);
        open.forEach(SessionThread::end);
        users.values().forEach(each -> each.user().close());
        long end = System.nanoTime() + END.toNanos();
        try {
            for (var each : open) {
                each.awaitEnd(Duration.ofNanos(end - System.nanoTime()));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
