package dev.perigee.console;

import dev.perigee.gateway.inbound.TopicFollower;
import java.time.InstantSource;
import java.util.Map;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Reads the topics onto a board; a failure is shown on it. */
final class BoardReader implements TopicFollower.Reader {
    private static final Logger LOG = LoggerFactory.getLogger(BoardReader.class);

    private final StartPositions starts;
    private final RecordIntake intake;
    private final Board board;
    private final InstantSource clock;

    BoardReader(StartPositions starts, Board board, InstantSource clock) {
        this.starts = starts;
        this.intake = new RecordIntake(starts.names(), board);
        this.board = board;
        this.clock = clock;
    }

    @Override
    public Map<TopicPartition, Long> starts(Consumer<byte[], byte[]> consumer) {
        return starts.find(consumer, clock.instant());
    }

    @Override
    public void take(ConsumerRecord<byte[], byte[]> record) {
        intake.take(record);
    }

    @Override
    public void caughtUp() {
        board.caughtUp();
    }

    @Override
    public void problem(@Nullable KafkaException problem) {
        if (problem != null) {
            LOG.atWarn().setCause(problem).log("The console cannot read the topics");
        }
        board.problem(problem == null ? null : String.valueOf(problem.getMessage()));
    }
}
