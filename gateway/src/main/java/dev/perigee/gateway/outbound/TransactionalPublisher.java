package dev.perigee.gateway.outbound;

import dev.perigee.gateway.inbound.GroupView;
import dev.perigee.gateway.inbound.Membership;
import dev.perigee.gateway.outbound.StateWrite.Refusal;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.apache.kafka.clients.producer.Producer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Transactional publisher of what a fenced owner must not overwrite. One thread takes whatever
 * waits, puts it into one transaction together with the group's offsets of the partitions
 * concerned, and commits. The offsets carry the group's generation, so that the group's coordinator
 * refuses the whole transaction of a gateway that is no longer a member; and before each attempt
 * the writes of partitions that went meanwhile are dropped.
 *
 * <p>Writes keep the order in which they were submitted. One without a waiting caller, such as a
 * server's status, lingers a moment: an urgent one would otherwise come during its transaction, and
 * wait for two. While the broker is away they wait, at most {@link #CAPACITY} of them, and {@link
 * #submit} blocks: backpressure.
 *
 * <pre>
 *            begin, send, offsets, commit
 *   batch ─────────────────────────────────▶ committed
 *     ▲   │ generation refused: wait for another view
 *     ├───┤ record too large: give that write up
 *     └───┘ anything else: new producer, which ends the old transaction
 * </pre>
 *
 * <p>A topic that alone cannot be written holds up nothing: {@link KeptWrites} takes its records
 * out of their writes.
 *
 * <p>A gateway that joins the group as another member was without the group for a session timeout:
 * its producer's idle connections may be dead unnoticed, and a claim that waits for their timeouts
 * comes too late for the processes. So each member has a producer of its own.
 */
public final class TransactionalPublisher implements AutoCloseable {
    /** How many writes may wait. */
    static final int CAPACITY = 10_000;

    private static final Logger LOG = LoggerFactory.getLogger(TransactionalPublisher.class);
    private static final int LARGEST_BATCH = 500;
    private static final Duration VIEW_WAIT = Duration.ofMillis(50);
    private static final Duration LINGER = Duration.ofMillis(10);
    private static final Duration IDLE = Duration.ofMillis(200);
    private static final Duration CLOSE_WAIT = Duration.ofSeconds(10);

    private final Supplier<Producer<byte[], byte[]>> producers;
    private final String commandsTopic;
    private final Membership membership;
    private final Timer timer;
    private final BlockingQueue<StateWrite> waiting = new ArrayBlockingQueue<>(CAPACITY);
    private final Thread thread;
    private final RateLimitedWarnings warnings = new RateLimitedWarnings(LOG);
    private final Backlog backlog = new Backlog(InstantSource.system());
    private final TopicHealth health;
    private final KeptWrites kept;
    private final DoublingBackoff backoff =
            new DoublingBackoff(Duration.ofMillis(50), Duration.ofSeconds(1));
    private @Nullable Transaction transaction;
    private volatile boolean closing;

    /**
     * @param producers makes transactional producers, all with this gateway's transactional id
     */
    public TransactionalPublisher(
            Supplier<Producer<byte[], byte[]>> producers,
            String commandsTopic,
            Membership membership,
            TopicHealth health,
            MeterRegistry metrics) {
        this.producers = producers;
        this.commandsTopic = commandsTopic;
        this.membership = membership;
        this.health = health;
        this.kept = new KeptWrites(health, new DroppedRecords(metrics));
        this.timer =
                Timer.builder("perigee.gateway.transaction")
                        .description("Transactions that were committed")
                        .register(metrics);
        Gauge.builder("perigee.gateway.transaction.waiting", waiting, BlockingQueue::size)
                .description("Writes that wait for a transaction")
                .register(metrics);
        this.thread = Thread.ofPlatform().name("publish-transactions").unstarted(this::run);
    }

    /** Begins to write. */
    public void start() {
        thread.start();
    }

    /** Hands over a write; blocks while too many wait. Any thread but the poll thread. */
    public void submit(StateWrite write) throws InterruptedException {
        if (closing) {
            write.ending().refused(Refusal.CLOSED);
        } else {
            backlog.begun();
            try {
                waiting.put(write);
            } catch (InterruptedException e) {
                backlog.ended();
                throw e;
            }
        }
    }

    /** What is not committed yet. */
    public Backlog backlog() {
        return backlog;
    }

    /** Writes what waits, bounded, and gives the rest up. */
    @Override
    public void close() {
        closing = true;
        try {
            if (!thread.join(CLOSE_WAIT)) {
                thread.interrupt();
                thread.join(CLOSE_WAIT);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void run() {
        var batch = new ArrayList<StateWrite>();
        try {
            while (true) {
                var first = waiting.poll(IDLE.toMillis(), TimeUnit.MILLISECONDS);
                takeKept(batch);
                if (first != null) {
                    batch.add(first);
                    linger(first, batch);
                    waiting.drainTo(batch, Math.max(0, LARGEST_BATCH - batch.size()));
                }
                if (!batch.isEmpty()) {
                    write(batch);
                } else if (closing) {
                    break;
                }
            }
        } catch (InterruptedException e) {
            LOG.atWarn().log("Stopped with unwritten transactions; the next owner repeats them");
        } finally {
            waiting.drainTo(batch);
            batch.forEach(write -> refuse(write, Refusal.CLOSED));
            kept.close();
            closeTransaction();
        }
    }

    private void takeKept(List<StateWrite> batch) {
        if (!kept.isEmpty()) {
            kept.dropEnded(membership.view());
            for (var write : kept.takeWritable()) {
                backlog.begun();
                batch.add(write);
            }
        }
    }

    /** Waits until a write has a waiting caller, or the linger time is over. */
    private void linger(StateWrite first, List<StateWrite> batch) throws InterruptedException {
        long end = System.nanoTime() + LINGER.toNanos();
        @Nullable StateWrite next = first;
        while (next != null && next.patient() && !closing && batch.size() < LARGEST_BATCH) {
            next = waiting.poll(end - System.nanoTime(), TimeUnit.NANOSECONDS);
            if (next != null) {
                batch.add(next);
            }
        }
    }

    /** Ends with an empty batch: each of its writes was committed or refused. */
    private void write(List<StateWrite> batch) throws InterruptedException {
        while (true) {
            var view = membership.view();
            dropEnded(batch, view);
            if (batch.isEmpty()) {
                return;
            }
            kept.split(batch);
            long begin = System.nanoTime();
            switch (attempt(batch, view)) {
                case Transaction.Committed(var offsets) -> {
                    timer.record(Duration.ofNanos(System.nanoTime() - begin));
                    backoff.reset();
                    for (int i = 0; i < offsets.size(); i++) {
                        backlog.ended();
                        kept.committed(batch.get(i));
                        batch.get(i).ending().committed(offsets.get(i));
                    }
                    batch.clear();
                    return;
                }
                case Transaction.TooLarge(var write) -> {
                    batch.remove(write);
                    refuse(write, Refusal.TOO_LARGE);
                }
                case Transaction.NotMember() -> membership.awaitOtherThan(view, VIEW_WAIT);
                case Transaction.Broken(var cause) -> {
                    warnings.log(
                            commandsTopic,
                            "Transactions fail, repeating them with a new producer",
                            cause);
                    closeTransaction();
                    backoff.pause();
                }
            }
        }
    }

    /** Continues after any error: nothing else writes in the name of partitions. */
    private Transaction.Result attempt(List<StateWrite> batch, GroupView view) {
        try {
            if (transaction != null && !transaction.isOf(view)) {
                closeTransaction();
            }
            if (transaction == null) {
                transaction = new Transaction(producers.get(), commandsTopic, health, view);
            }
            return transaction.attempt(batch, view);
        } catch (RuntimeException e) {
            return new Transaction.Broken(e);
        }
    }

    private void closeTransaction() {
        if (transaction != null) {
            transaction.close();
            transaction = null;
        }
    }

    private void refuse(StateWrite write, Refusal why) {
        backlog.ended();
        write.ending().refused(why);
    }

    private void dropEnded(List<StateWrite> batch, GroupView view) {
        batch.removeIf(
                write -> {
                    boolean ended = !view.holds(write.tenure());
                    if (ended) {
                        refuse(write, Refusal.TENURE_ENDED);
                    }
                    return ended;
                });
    }
}
