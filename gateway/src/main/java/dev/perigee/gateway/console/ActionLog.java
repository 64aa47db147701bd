package dev.perigee.gateway.console;

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
    Results results() throws ActionRefusedException;

    @Override
    void close();

    /** Results of commands, as they come. For one thread at a time. */
    interface Results extends AutoCloseable {
        /**
         * Those that came, waiting at most so long for any.
         *
         * @throws ActionRefusedException when they cannot be read any more
         */
        List<CommandResult> poll(Duration wait) throws ActionRefusedException;

        @Override
        void close();
    }
}
