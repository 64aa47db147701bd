package dev.perigee.console;

import dev.perigee.protocol.audit.AuditRecord;
import dev.perigee.protocol.command.Command;
import dev.perigee.protocol.command.CommandResult;
import java.time.Duration;
import java.util.List;

/** Topics that an action needs: {@code audit}, {@code commands} and {@code command-results}. */
interface ActionLog extends AutoCloseable {
    /**
     * Returns when all of these are in Kafka.
     *
     * @throws ActionRefusedException when one cannot be written, or the topic is missing
     */
    void record(List<AuditRecord> records) throws ActionRefusedException, InterruptedException;

    /**
     * The same of an action that is stopped: whoever stops it waits for this, for a time. A stop
     * that comes meanwhile has it written again. The thread is interrupted still if it was, so that
     * no stop is lost.
     */
    default void recordToTheEnd(List<AuditRecord> records)
            throws ActionRefusedException, InterruptedException {
        boolean stopped = Thread.interrupted();
        try {
            record(records);
        } catch (InterruptedException e) {
            stopped = true;
            record(records);
        } finally {
            if (stopped) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /**
     * Returns when it is in Kafka.
     *
     * @throws ActionRefusedException when it cannot be written, and perhaps was
     */
    void send(Command command) throws ActionRefusedException, InterruptedException;

    /**
     * Results from now on.
     *
     * @throws ActionRefusedException when they cannot be read
     */
    Results results() throws ActionRefusedException, InterruptedException;

    @Override
    void close();

    /** Results of commands, as they come. For one thread at a time. */
    interface Results extends AutoCloseable {
        /**
         * Those that came, waiting at most so long for any.
         *
         * @throws ActionRefusedException when they cannot be read any more
         */
        List<CommandResult> poll(Duration wait) throws ActionRefusedException, InterruptedException;

        @Override
        void close();
    }
}
