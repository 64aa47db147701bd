package dev.perigee.console;

import java.time.Duration;
import java.time.InstantSource;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Draws the fleet onto the board every second, the group's part of it less often. */
final class FleetTicker implements AutoCloseable {
    private static final Duration PERIOD = Duration.ofSeconds(1);
    private static final int TICKS_PER_ASKING = 3;

    private final FleetMap map;
    private final GroupMembers group;
    private final BacklogProbe probe;
    private final Board board;
    private final InstantSource clock;
    private final CountDownLatch closed = new CountDownLatch(1);
    private final Thread thread = Thread.ofVirtual().name("console-fleet").unstarted(this::run);
    private final Thread asking = Thread.ofVirtual().name("console-backlog").unstarted(this::ask);
    private volatile BacklogProbe.@Nullable Backlog backlog;

    FleetTicker(
            FleetMap map,
            GroupMembers group,
            BacklogProbe probe,
            Board board,
            InstantSource clock) {
        this.map = map;
        this.group = group;
        this.probe = probe;
        this.board = board;
        this.clock = clock;
    }

    void start() {
        thread.start();
        asking.start();
    }

    private void run() {
        try {
            @Nullable Map<String, Set<Integer>> members = null;
            int tick = 0;
            do {
                if (tick++ % TICKS_PER_ASKING == 0) {
                    members = group.ask();
                }
                var load = new FleetView.Load(board.calls(clock.instant()), backlog);
                board.fleet(map.draw(members, board.known()).under(load));
            } while (!closed.await(PERIOD.toMillis(), TimeUnit.MILLISECONDS));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** On a thread of its own: brokers that answer late do not hold the map up. */
    private void ask() {
        try {
            do {
                backlog = probe.ask(clock.instant());
            } while (!closed.await(TICKS_PER_ASKING * PERIOD.toMillis(), TimeUnit.MILLISECONDS));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void close() {
        closed.countDown();
        thread.interrupt();
        asking.interrupt();
    }
}
