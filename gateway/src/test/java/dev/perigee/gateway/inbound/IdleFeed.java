package dev.perigee.gateway.inbound;

import dev.perigee.protocol.limit.ByteBudget;
import dev.perigee.protocol.topic.Topic;
import java.time.Duration;
import java.util.Map;

/** A feed to which nothing comes, for tests of those who have one. */
public final class IdleFeed {
    private IdleFeed() {}

    /** One whose tenure is over. */
    public static PartitionFeed over(int partition) {
        var feed = of(partition);
        feed.end();
        return feed;
    }

    public static PartitionFeed of(int partition) {
        var pollThread =
                new PartitionFeed.PollThread() {
                    @Override
                    public void resume(PartitionFeed feed, Topic topic) {}

                    @Override
                    public void commit() {}
                };
        return new PartitionFeed(
                new Tenure(partition, 1),
                0,
                new TenureLease(Duration.ofHours(1), System::nanoTime),
                new FeedLimits(10, 1 << 20),
                new Intake(ByteBudget.of(1 << 20)).share(),
                pollThread,
                Map.of());
    }
}
