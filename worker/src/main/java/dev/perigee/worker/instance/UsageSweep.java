package dev.perigee.worker.instance;

import dev.perigee.worker.process.ProcessTable;
import dev.perigee.worker.process.TreeMeter;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Periodic sweep over all instances of a worker that measures what they use and publishes it. One
 * thread of its own, since measuring reads files: a look at all processes every {@value
 * #LOOK_SECONDS} seconds, the first of a minute at its start, and then each account in its second
 * of the minute, so that thousands of records are spread over {@value #SPREAD_SECONDS} seconds.
 */
final class UsageSweep implements AutoCloseable {
    static final int LOOK_SECONDS = 15;
    static final int SPREAD_SECONDS = 20;

    private static final Logger log = LoggerFactory.getLogger(UsageSweep.class);
    private static final int MINUTE_SECONDS = 60;

    /** Of 2 to the power of 32, odd: multiplied by it, low bits reach the high ones. */
    private static final int GOLDEN_RATIO = 0x9E3779B1;

    private final @Nullable ProcessTable table;
    private final InstantSource clock;
    private final Set<UsageAccount> accounts = ConcurrentHashMap.newKeySet();
    private final AtomicBoolean begun = new AtomicBoolean();
    private long lastLook = Long.MIN_VALUE;
    private volatile boolean closed;
    private volatile @Nullable Thread thread;

    /**
     * A sweep that is not started.
     *
     * @param table null where usage is not published
     */
    UsageSweep(@Nullable ProcessTable table, InstantSource clock) {
        this.table = table;
        this.clock = clock;
    }

    /** Starts the thread, where usage is published at all; once. */
    void begin() {
        if (table != null && begun.compareAndSet(false, true)) {
            thread = Thread.ofPlatform().daemon().name("usage").start(this::run);
        }
    }

    /** The account of an instance, not yet watched. */
    UsageAccount account(String processId, InstanceJournal journal) {
        return new UsageAccount(table != null, slot(processId), journal, clock);
    }

    /** Ids that differ in a number only are spread evenly, too. */
    private static int slot(String processId) {
        return 1 + ((processId.hashCode() * GOLDEN_RATIO) >>> 16) % SPREAD_SECONDS;
    }

    /** From now on it is published. */
    void watch(UsageAccount account) {
        if (table != null) {
            accounts.add(account);
        }
    }

    /** Its instance has ended. */
    void forget(UsageAccount account) {
        accounts.remove(account);
    }

    private void run() {
        while (!closed) {
            try {
                tick(clock.instant());
            } catch (RuntimeException e) {
                // Thrown on, it would be the last look.
                log.atError().setCause(e).log("Usage could not be measured; going on");
            }
            // Not interrupted by anybody; a wake-up before time only looks at the clock again.
            var now = clock.instant();
            var next = now.truncatedTo(ChronoUnit.SECONDS).plusSeconds(1);
            LockSupport.parkNanos(this, Duration.between(now, next).toNanos() + 1_000_000);
        }
    }

    /** What is due by now. Blocks for a reading of the process table. For one thread at a time. */
    void tick(Instant now) {
        long second = now.getEpochSecond();
        long look = Math.floorDiv(second, LOOK_SECONDS);
        if (look != lastLook && table != null) {
            lastLook = look;
            TreeMeter.look(
                    accounts.stream().flatMap(account -> account.live().stream()).toList(), table);
            var after = clock.instant();
            accounts.forEach(account -> account.collect(after));
        }
        long within = Math.floorMod(second, MINUTE_SECONDS);
        for (var account : accounts) {
            if (within >= account.slot()) {
                account.publish(now);
            }
        }
    }

    @Override
    public void close() {
        closed = true;
        LockSupport.unpark(thread);
    }
}
