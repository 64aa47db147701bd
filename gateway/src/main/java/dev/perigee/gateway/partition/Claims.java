package dev.perigee.gateway.partition;

import dev.perigee.gateway.inbound.EarlierRuns;
import dev.perigee.gateway.inbound.ProgressCodec;
import dev.perigee.gateway.outbound.StateWrite;
import dev.perigee.gateway.outbound.StateWrite.Refusal;
import dev.perigee.protocol.topic.Topic;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;

/** Appends claims. For the owner's thread, which waits for the claim's offset. */
final class Claims {
    private final PartitionContext context;

    Claims(PartitionContext context) {
        this.context = context;
    }

    /**
     * A claim.
     *
     * @param epoch offset of the claim's record
     * @param commandsDone every command below this offset was done by an earlier owner
     * @param requestsDone every request below this offset was answered by an earlier owner
     */
    record Claimed(long epoch, long commandsDone, long requestsDone) {}

    /** Reads the committed offset of requests, its metadata and the end offset; once a tenure. */
    EarlierRuns earlierRuns() throws InterruptedException {
        var offsets = context.services().offsets();
        var committed = offsets.committed(Topic.TOOL_REQUESTS, context.partition());
        var progress = ProgressCodec.decode(committed.metadata(), committed.offset());
        long end = offsets.end(Topic.TOOL_REQUESTS, context.partition());
        context.feed().continueRequests(committed.offset(), progress, end);
        return new EarlierRuns(progress, end);
    }

    /**
     * Appends a claim.
     *
     * @throws InterruptedException also when the tenure ended: the owner is to end
     */
    Claimed claim() throws InterruptedException {
        var services = context.services();
        var offsets = services.offsets();
        long commandsDone = offsets.committed(Topic.COMMANDS, context.partition()).offset();
        context.feed().startAt(Topic.COMMANDS, commandsDone);
        long requestsDone = offsets.committed(Topic.TOOL_REQUESTS, context.partition()).offset();
        var claim = new StateRecord.Claim(services.gatewayId(), services.clock().instant());
        BlockingQueue<Long> answer = new ArrayBlockingQueue<>(1);
        var lease = context.feed().lease();
        long askedAt = lease.now();
        services.transactions()
                .submit(
                        new StateWrite(
                                context.feed().tenure(),
                                List.of(context.stateTopic().claim(claim)),
                                context.feed().settled(Topic.COMMANDS),
                                new StateWrite.Ending() {
                                    @Override
                                    public void committed(List<Long> offsets) {
                                        answer.add(offsets.getFirst());
                                    }

                                    @Override
                                    public void refused(Refusal refusal) {
                                        answer.add(-1L);
                                    }
                                }));
        long epoch = answer.take();
        if (epoch < 0) {
            throw new InterruptedException("the tenure ended");
        }
        lease.claimed(askedAt);
        return new Claimed(epoch, commandsDone, requestsDone);
    }
}
