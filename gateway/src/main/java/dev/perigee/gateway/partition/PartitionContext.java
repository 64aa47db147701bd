package dev.perigee.gateway.partition;

import dev.perigee.gateway.inbound.PartitionFeed;
import dev.perigee.protocol.topic.Topic;
import org.jspecify.annotations.Nullable;

/** State that the components of one owner share. For the owner's thread. */
final class PartitionContext {
    private final PartitionServices services;
    private final PartitionFeed feed;
    private final OwnerMailbox mailbox;
    private final Timers timers;
    private final StateWriter writer;
    private final StateTopic stateTopic;
    private PartitionState state = new PartitionState();
    private @Nullable Session session;

    PartitionContext(PartitionServices services, PartitionFeed feed, OwnerMailbox mailbox) {
        this.services = services;
        this.feed = feed;
        this.mailbox = mailbox;
        this.timers = new Timers(services.clock());
        this.stateTopic =
                new StateTopic(services.names().of(Topic.STATE), partition(), services.seal());
        this.writer =
                new StateWriter(
                        services.transactions(),
                        feed,
                        mailbox,
                        stateTopic.name(),
                        new StateWriter.Listener() {
                            @Override
                            public void written(String name) {
                                state.outdated().remove(name);
                            }

                            @Override
                            public void commandsCommitted(long offset) {
                                PartitionContext.this.commandsCommitted(offset);
                            }
                        });
    }

    PartitionServices services() {
        return services;
    }

    PartitionFeed feed() {
        return feed;
    }

    int partition() {
        return feed.tenure().partition();
    }

    OwnerMailbox mailbox() {
        return mailbox;
    }

    Timers timers() {
        return timers;
    }

    StateWriter writer() {
        return writer;
    }

    StateTopic stateTopic() {
        return stateTopic;
    }

    PartitionState state() {
        return state;
    }

    void state(PartitionState restored) {
        state = restored;
        services.installations().count(feed.tenure(), restored.byTeam());
    }

    /** The session that there is, serving or not. */
    @Nullable Session session() {
        return session;
    }

    void session(@Nullable Session newSession) {
        session = newSession;
    }

    /** The session that orders and calls may go to; null while there is none. */
    @Nullable Session serving() {
        return session != null && session.isServing() ? session : null;
    }

    /** What the worker knows a topic by. */
    String linkName(Topic topic) {
        return feed.linkName(topic, services.names().of(topic));
    }

    private void commandsCommitted(long offset) {
        if (session != null) {
            session.link().committed(linkName(Topic.COMMANDS), offset);
        }
    }
}
