package dev.perigee.gateway.partition;

import dev.perigee.gateway.inbound.PartitionFeed;
import dev.perigee.gateway.inbound.PartitionHandler;
import dev.perigee.gateway.inbound.Tenure;
import dev.perigee.gateway.placement.Hosted;
import dev.perigee.gateway.placement.Move;
import dev.perigee.protocol.topic.Topic;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The owners of the partitions that this gateway has. Fed by the poll thread, asked by any: it only
 * starts owners, passes things on and ends them.
 */
public final class Partitions implements PartitionHandler {
    private static final Logger LOG = LoggerFactory.getLogger(Partitions.class);

    private final PartitionServices services;
    private final Alarm alarm = new Alarm();
    private final Map<Tenure, PartitionOwner> owners = new ConcurrentHashMap<>();
    private final ConcurrentLinkedQueue<PartitionOwner> ending = new ConcurrentLinkedQueue<>();

    public Partitions(PartitionServices services) {
        this.services = services;
    }

    @Override
    public void assigned(PartitionFeed feed) {
        LOG.atInfo().addKeyValue("partition", feed.tenure().partition()).log("Partition assigned");
        var owner = new PartitionOwner(services, feed, alarm);
        owners.put(feed.tenure(), owner);
        owner.start();
    }

    @Override
    public void revoked(Tenure tenure) {
        LOG.atInfo().addKeyValue("partition", tenure.partition()).log("Partition revoked");
        var owner = owners.remove(tenure);
        if (owner != null) {
            ending.removeIf(other -> other.hasEnded());
            ending.add(owner);
            owner.end();
        }
    }

    @Override
    public void dropUnsent() {
        services.fast().drop();
    }

    @Override
    public void records(
            PartitionFeed feed,
            Topic topic,
            List<ConsumerRecord<byte[], byte[]>> records,
            long nextOffset) {
        var owner = owners.get(feed.tenure());
        if (owner != null) {
            owner.records(topic, records, nextOffset);
        }
    }

    @Override
    public void committed(PartitionFeed feed, long offset) {
        var owner = owners.get(feed.tenure());
        if (owner != null) {
            owner.committed(offset);
        }
    }

    /** A worker came, went or changed. */
    public void workersChanged() {
        owners.values().forEach(PartitionOwner::workersChanged);
    }

    /** Where each partition that this gateway has is served. */
    List<Hosted> hosted() {
        return owners.values().stream().map(PartitionOwner::hosted).toList();
    }

    /** By partition the worker that may run its processes, where one may; any thread. */
    public Map<Integer, String> hosts() {
        var hosts = new TreeMap<Integer, String>();
        owners.forEach(
                (tenure, owner) -> {
                    var host = owner.host();
                    if (host != null) {
                        hosts.put(tenure.partition(), host);
                    }
                });
        return hosts;
    }

    /** Lets a partition leave its worker, if this gateway has it. */
    void move(Move move, Departure.Listener listener) {
        for (var owner : owners.values()) {
            if (owner.tenure().partition() == move.partition()) {
                owner.move(move.manner(), listener);
            }
        }
    }

    /** What each partition that this gateway has is doing. */
    public Map<Integer, OwnerState> states() {
        var states = new TreeMap<Integer, OwnerState>();
        owners.forEach((tenure, owner) -> states.put(tenure.partition(), owner.state()));
        return states;
    }

    /** How many records of a topic this gateway has read and not finished. */
    public long open(Topic topic) {
        return owners.values().stream().mapToLong(owner -> owner.open(topic)).sum();
    }

    /** What keeps partitions from being served until somebody does something. */
    public Map<Integer, String> problems() {
        var problems = new TreeMap<Integer, String>();
        owners.forEach(
                (tenure, owner) -> {
                    var problem = owner.problem();
                    if (problem != null) {
                        problems.put(tenure.partition(), problem);
                    }
                });
        return problems;
    }

    /** Secrets in the state topic that the current key has not encrypted. */
    public int outdatedSecrets() {
        return owners.values().stream().mapToInt(PartitionOwner::outdated).sum();
    }

    /** Instances that do not run, or are on trial, since workers died under them. */
    public int quarantined() {
        return owners.values().stream().mapToInt(PartitionOwner::quarantined).sum();
    }

    /** Waits until the owners whose tenure ended have left their sessions, bounded. */
    public void awaitEnded(Duration atMost) throws InterruptedException {
        long end = System.nanoTime() + atMost.toNanos();
        for (var owner : ending) {
            owner.awaitEnd(Duration.ofNanos(Math.max(1, end - System.nanoTime())));
        }
    }
}
