package dev.perigee.gateway.console;

import java.time.Duration;
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
    private final Board board;
    private final CountDownLatch closed = new CountDownLatch(1);
    private final Thread thread = Thread.ofVirtual().name("console-fleet").unstarted(this::run);

    FleetTicker(FleetMap map, GroupMembers group, Board board) {
        this.map = map;
        this.group = group;
        this.board = board;
    }

    void start() {
        thread.start();
    }

    private void run() {
        try {
            @Nullable Map<String, Set<Integer>> members = null;
            int tick = 0;
            do {
                if (tick++ % TICKS_PER_ASKING == 0) {
                    members = group.ask();
                }
                board.fleet(map.draw(members, board.known()));
            } while (!closed.await(PERIOD.toMillis(), TimeUnit.MILLISECONDS));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void close() {
        closed.countDown();
        thread.interrupt();
    }
}
